import { endpoints } from '../../../shared/client/endpoints';
import { simpleField } from '../../../shared/descriptions/options';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { contactEmailField } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { dataToSend, parseContactFields, sourceFields } from './contactFields';
import { fetchContacts, listChangedFields, writeContact } from './contactRecords';

const skipUnchangedOption = simpleField(
	['Skip Unchanged', 'skipUnchanged', false],
	'Whether to read the contact list once and skip contacts that already have all these values',
);

export const upsertContact = defineOperation({
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update a contact',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	routing: { request: endpoints.upsertContact },
	alsoSends: [endpoints.listContacts],
	pathFields: [contactEmailField],
	fields: [dataToSend, ...sourceFields],
	options: [skipUnchangedOption],
	parse(item) {
		const email = item.parsePathParam(contactEmailField);
		const fields = parseContactFields(item, email);
		return { email, fields, skipUnchanged: item.read(skipUnchangedOption) };
	},
	async send(item, { email, fields, skipUnchanged }) {
		const key = toAddressKey(email);
		// Two items can change the same contact: the later one must win.
		return await item.runAlone(`contact ${key}`, async () => {
			const userId = await item.getUserId();
			const known = skipUnchanged ? await fetchContactsOnce(item, userId) : undefined;
			const current = known?.get(key)?.record;
			if (current && listChangedFields(current, fields).length === 0) return [current];
			// A later item for the same contact must not find it as it was.
			known?.delete(key);
			const record = await writeContact(item, userId, email, fields);
			return [record ?? { success: true, email }];
		});
	},
});

async function fetchContactsOnce(item: Item, userId: string) {
	const fetchAll = async () => await fetchContacts(item, userId);
	return await item.memoize(`contacts of ${userId}`, fetchAll);
}

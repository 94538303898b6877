import { toAddressKey } from '../../../shared/parameters/addresses';
import { parseBoolean } from '../../../shared/parameters/values';
import { simpleField } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { contactFields, parseContactFields } from './contactFields';
import { fetchContacts, listDifferences, writeContact } from './contacts';

const skipUnchangedOption = simpleField(
	['Skip Unchanged', 'skipUnchanged', false],
	'Whether to read the contact list once and skip contacts that already have all these values',
);

/** Creates or updates a contact, without a request if nothing would change. */
export const upsertContact = defineOperation({
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update a contact',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	endpoint: { method: 'PATCH', path: '/users/{userId}/contacts/{email}' },
	fields: contactFields,
	options: [skipUnchangedOption],
	parse(item) {
		const { contactEmail: email } = item.pathParams;
		const fields = parseContactFields(item, email);
		return { email, fields, skipUnchanged: item.parseOption(skipUnchangedOption, parseBoolean) };
	},
	async send(item, { email, fields, skipUnchanged }) {
		// Two items can change the same contact: the later one must win.
		return await item.runAlone(`contact ${toAddressKey(email)}`, async () => {
			const userId = await item.getUserId();
			const fetchKnown = async () => await fetchContacts(item, userId);
			const known = skipUnchanged && (await item.memoize(`contacts of ${userId}`, fetchKnown));
			const current = known && known.get(toAddressKey(email));
			if (current && listDifferences(current.record, fields).length === 0) return [current.record];
			// A later item for the same contact must not find it as it was.
			if (known) known.delete(toAddressKey(email));
			const record = await writeContact(item, userId, email, fields);
			return [record ?? { success: true, email }];
		});
	},
});

import type { IDataObject } from 'n8n-workflow';

import type { ListEntry } from '../../../shared/api/lists';
import { CONTACT_LIST, fetchList, groupById } from '../../../shared/api/lists';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { parseBoolean, parseOption } from '../../../shared/parameters/scalars';
import type { Call, Operation } from '../../execution/operation';
import { getContactFields } from './contactFields';
import type { KnownContacts } from './knownContacts';
import { groupByAddress, listDifferences } from './knownContacts';
import { writeContact } from './writeContact';

interface ContactChange {
	email: string;
	fields: IDataObject;
	skipUnchanged: boolean;
}

/** Creates or updates a contact (docs/openapi.yaml, upsertContact), without a request if nothing would change. */
export const upsert: Operation<ContactChange> = {
	parse(item) {
		const { contactEmail: email } = item.getPathParams();
		return {
			email,
			fields: getContactFields(item, email),
			skipUnchanged: parseOption(item.getOptions(), 'skipUnchanged', false, (value) =>
				parseBoolean(value, 'Skip Unchanged'),
			),
		};
	},
	// Two items can change the same contact: the later one must win.
	getKey: ({ email }) => toAddressKey(email),
	async send(call, { email, fields, skipUnchanged }) {
		const known = skipUnchanged ? await getKnownContacts(call) : undefined;
		const current = known && findContact(known.get(toAddressKey(email)), email);
		if (current !== undefined && listDifferences(current, fields).length === 0) return [current];
		// Not known any more, even if the response is lost.
		known?.delete(toAddressKey(email));
		const record = await writeContact(call, await call.getUserId(), email, fields);
		return [record ?? { success: true, email }];
	},
};

/** The user's contacts; the list is fetched once for all items. */
async function getKnownContacts(call: Call): Promise<KnownContacts> {
	const userId = await call.getUserId();
	return await call.run.memory.memoize(call.getSharedKey(`contacts of ${userId}`), async () => {
		const records = await fetchList(call.client, CONTACT_LIST, userId);
		return groupByAddress(groupById(records, CONTACT_LIST));
	});
}

/** Whether a service distinguishes capitals in addresses is not known, so they only count where two contacts differ in them. */
function findContact(entries: ListEntry[] = [], email: string): IDataObject | undefined {
	const found = entries.length === 1 ? entries[0] : entries.find(({ id }) => id === email);
	return found === undefined || found.duplicates.length > 0 ? undefined : found.record;
}

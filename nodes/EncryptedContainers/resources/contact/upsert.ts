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
		const userId = await call.getUserId();
		const known = skipUnchanged ? await fetchKnown(call, userId) : undefined;
		const current = findContact(known?.get(toAddressKey(email)), email);
		if (current !== undefined && listDifferences(current, fields).length === 0) return [current];
		// A later item for the same contact must not find it as it was.
		known?.delete(toAddressKey(email));
		const record = await writeContact(call, userId, email, fields);
		return [record ?? { success: true, email }];
	},
};

/** The contacts of a user, which are fetched once for all items. */
async function fetchKnown(call: Call, userId: string): Promise<KnownContacts> {
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

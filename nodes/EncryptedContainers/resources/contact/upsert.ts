import type { IDataObject } from 'n8n-workflow';

import type { ListEntry } from '../../../shared/api/lists';
import { CONTACT_LIST, fetchList, groupById } from '../../../shared/api/lists';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { parseBoolean, parseOption } from '../../../shared/parameters/scalars';
import type { Call, Operation } from '../../execution/operation';
import { getContactFields } from './contactFields';
import { groupByAddress, listDifferences } from './knownContacts';
import { isChangedSince, writeContact } from './writeContact';

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
		const current = skipUnchanged ? await findKnown(call, userId, email) : undefined;
		if (current !== undefined && listDifferences(current, fields).length === 0) return [current];
		const record = await writeContact(call, userId, email, fields);
		return [record ?? { success: true, email }];
	},
};

/** The contact in the list, which is fetched once for all items, unless it has changed since. */
async function findKnown(
	call: Call,
	userId: string,
	email: string,
): Promise<IDataObject | undefined> {
	const key = call.getSharedKey(`contacts of ${userId}`);
	const { at, contacts } = await call.run.memory.memoize(key, async () => {
		const start = Date.now();
		const records = await fetchList(call.client, CONTACT_LIST, userId);
		return { at: start, contacts: groupByAddress(groupById(records, CONTACT_LIST)) };
	});
	if (isChangedSince(call, userId, email, at)) return undefined;
	return findContact(contacts.get(toAddressKey(email)), email);
}

/** Whether a service distinguishes capitals in addresses is not known, so they only count where two contacts differ in them. */
function findContact(entries: ListEntry[] = [], email: string): IDataObject | undefined {
	const found = entries.length === 1 ? entries[0] : entries.find(({ id }) => id === email);
	return found === undefined || found.duplicates.length > 0 ? undefined : found.record;
}

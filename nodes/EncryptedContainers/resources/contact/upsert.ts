import type { IDataObject } from 'n8n-workflow';

import type { ListEntry } from '../../../shared/api/lists';
import { CONTACT_LIST, fetchList, groupById } from '../../../shared/api/lists';
import { parseBoolean, parseOption } from '../../../shared/parameters/scalars';
import { KnownList, markAsStale } from '../../execution/knownList';
import type { Operation, OperationContext } from '../../execution/operation';
import { getContactFields } from './contactFields';
import { groupByAddress, listDifferences } from './knownContacts';

interface ContactChange {
	email: string;
	fields: IDataObject;
	skipUnchanged: boolean;
}

/** Creates or updates a contact (docs/openapi.yaml, upsertContact), without a request if nothing would change. */
export const upsert: Operation<ContactChange> = {
	prepare(item) {
		const { contactEmail: email } = item.getPathParams();
		return {
			email,
			fields: getContactFields(item.context, email),
			skipUnchanged: parseOption(item.getOptions(), 'skipUnchanged', false, (value) =>
				parseBoolean(value, 'Skip Unchanged'),
			),
		};
	},
	async send(operation, change) {
		// Two items can change the same contact: the later one must win.
		const key = `contact ${change.email.toLowerCase()}`;
		return await operation.runInOrder(key, async () => await sendContact(operation, change));
	},
};

async function sendContact(
	operation: OperationContext,
	{ email, fields, skipUnchanged }: ContactChange,
): Promise<IDataObject> {
	const name = email.toLowerCase();
	const current = skipUnchanged
		? findContact((await getKnownContacts(operation)).get(name), email)
		: undefined;
	if (current !== undefined && listDifferences(current, fields).length === 0) return current;
	// Even if the response is lost.
	markAsStale(await operation.getListKey('contacts'), name);
	const record = await operation.client.requestOptionalObject({
		method: 'PATCH',
		path: await operation.getPath(),
		action: 'create or update the contact',
		json: fields,
		subject: { contactEmail: email },
	});
	return record ?? { success: true, email };
}

/** The user's contacts; the list is fetched once per execution and user. */
async function getKnownContacts(operation: OperationContext): Promise<KnownList<ListEntry[]>> {
	const key = await operation.getListKey('contacts');
	return await operation.tasks.memoize(key, async () => {
		const fetching = fetchList(operation.client, CONTACT_LIST, await operation.getUserId());
		const contacts = fetching.then((records) => groupByAddress(groupById(records, CONTACT_LIST)));
		return await new KnownList<ListEntry[]>(key).load(contacts);
	});
}

/** Whether a service distinguishes capitals in addresses is not known, so they only count where two contacts differ in them. */
function findContact(entries: ListEntry[] = [], email: string): IDataObject | undefined {
	const found = entries.length === 1 ? entries[0] : entries.find(({ id }) => id === email);
	return found === undefined || found.duplicates.length > 0 ? undefined : found.record;
}

import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { CONTACT_LIST, fetchList, groupById } from '../../../shared/api/lists';
import { unwrapContact } from '../../../shared/api/records';
import { parseList } from '../../../shared/parameters/lists';
import { parseBoolean } from '../../../shared/parameters/scalars';
import { isSameJson } from '../../../shared/responses/canonicalJson';
import type { Operation, OperationContext } from '../../execution/operation';
import { parseJsonObject } from '../../parameters/json';

interface ContactChange {
	userId?: string;
	email: string;
	fields: IDataObject;
	skipUnchanged: boolean;
}

/** Creates or updates a contact (docs/openapi.yaml, upsertContact), without a request if nothing would change. */
export const upsert: Operation<ContactChange> = {
	prepare(item) {
		const { userId, contactEmail: email } = item.getPathParams();
		const { skipUnchanged = false } = item.getOptions();
		return {
			userId,
			email,
			fields: getContactFields(item.context, email),
			skipUnchanged: parseBoolean(skipUnchanged, 'Skip Unchanged'),
		};
	},
	async send(operation, change) {
		// Two items can change the same contact: the later one must win.
		const key = `contact ${change.userId ?? ''} ${change.email.toLowerCase()}`;
		const send = async () => [await sendContact(operation, change)];
		return await operation.run.runExclusive(key, send);
	},
};

async function sendContact(
	operation: OperationContext,
	{ userId, email, fields, skipUnchanged }: ContactChange,
): Promise<IDataObject> {
	const known = skipUnchanged ? await getKnownContacts(operation, userId) : undefined;
	const current = known?.get(email.toLowerCase());
	if (current !== undefined && hasAll(unwrapContact(current), fields)) return current;
	// From here on, the list is out of date for this contact, even if the response is lost.
	known?.delete(email.toLowerCase());
	const record = await operation.client.requestOptionalObject({
		method: 'PATCH',
		path: await operation.getPath(),
		action: 'create or update the contact',
		json: fields,
		subject: { contactEmail: email },
	});
	return record ?? { success: true, email };
}

/** The user's contacts by address in lower case; the list is fetched once per execution. */
async function getKnownContacts(
	operation: OperationContext,
	userId = '',
): Promise<Map<string, IDataObject>> {
	return await operation.run.memoize(`contacts of ${userId}`, async () => {
		const records = await fetchList(operation.client, CONTACT_LIST, await operation.getUserId());
		const entries = groupById(records, CONTACT_LIST);
		return new Map(entries.map(({ id, record }) => [id.toLowerCase(), record]));
	});
}

function hasAll(current: IDataObject, values: IDataObject): boolean {
	return Object.entries(values).every(
		([name, value]) => name in current && isSameJson(current[name], value),
	);
}

function getContactFields(context: IExecutePaginationFunctions, email: string): IDataObject {
	switch (context.getNodeParameter('dataToSend', 'defineBelow')) {
		case 'autoMapInputData':
			return mapInputFields(context, email);
		case 'json':
			return parseJsonObject(context.getNodeParameter('bodyJson', ''), 'Fields (JSON)');
		default:
			return parseFieldRows(context.getNodeParameter('fieldsUi', {}) as IDataObject);
	}
}

/** The item's fields without those to ignore and without the one that contains the address. */
function mapInputFields(context: IExecutePaginationFunctions, email: string): IDataObject {
	const ignored = new Set(
		parseList(context.getNodeParameter('inputsToIgnore', ''), 'Inputs to Ignore'),
	);
	const isAddress = (name: string, value: unknown) =>
		/^e-?mail$/i.test(name) ||
		(typeof value === 'string' && value.trim().toLowerCase() === email.toLowerCase());
	return Object.fromEntries(
		Object.entries(context.getInputData().json).filter(
			([name, value]) => value !== undefined && !ignored.has(name) && !isAddress(name, value),
		),
	);
}

function parseFieldRows(collection: IDataObject): IDataObject {
	const rows = (collection.fields ?? []) as Array<{ name?: unknown; value?: unknown }>;
	const values: IDataObject = {};
	for (const { name, value } of rows) {
		const field = typeof name === 'string' ? name.trim() : '';
		if (field === '') {
			throw new UserError('A contact field has no name', {
				description: 'Enter a name such as first_name in each row of "Fields", or remove the row.',
			});
		}
		if (field === '__proto__') {
			throw new UserError('A contact field can\'t have the name "__proto__"', {
				description: 'Enter the name of a contact field in "Fields", for example first_name.',
			});
		}
		values[field] = value as IDataObject[string];
	}
	return values;
}

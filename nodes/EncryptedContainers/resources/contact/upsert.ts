import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { ListEntry } from '../../../shared/api/lists';
import { CONTACT_LIST, fetchList, groupById } from '../../../shared/api/lists';
import { unwrapContact } from '../../../shared/api/records';
import { cleanAddress, getEmail, parseOptionalList } from '../../../shared/parameters/lists';
import {
	parseBoolean,
	parseChoice,
	parseOption,
	parseText,
} from '../../../shared/parameters/scalars';
import type { Operation, OperationContext } from '../../execution/operation';
import { parseJsonObject } from '../../parameters/json';
import { DATA_TO_SEND } from './choices';
import { isSameValue } from './sameValue';

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
		const send = async () => [await sendContact(operation, change)];
		return await operation.tasks.runExclusive(key, send);
	},
};

async function sendContact(
	operation: OperationContext,
	{ email, fields, skipUnchanged }: ContactChange,
): Promise<IDataObject> {
	const known = skipUnchanged ? await getKnownContacts(operation) : undefined;
	const current = findContact(known, email);
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

/** The user's contacts by address in lower case; the list is fetched once per execution and user. */
async function getKnownContacts(operation: OperationContext): Promise<Map<string, ListEntry[]>> {
	const userId = await operation.getUserId();
	return await operation.tasks.memoize(`contacts of ${userId}`, async () => {
		const records = await fetchList(operation.client, CONTACT_LIST, userId);
		const known = new Map<string, ListEntry[]>();
		for (const entry of groupById(records, CONTACT_LIST)) {
			const key = entry.id.toLowerCase();
			known.set(key, [...(known.get(key) ?? []), entry]);
		}
		return known;
	});
}

/** Whether a service distinguishes capitals in addresses is not known, so they only count where two contacts differ in them. */
function findContact(
	known: Map<string, ListEntry[]> | undefined,
	email: string,
): IDataObject | undefined {
	const entries = known?.get(email.toLowerCase()) ?? [];
	const found = entries.length === 1 ? entries[0] : entries.find(({ id }) => id === email);
	return found === undefined || found.duplicates.length > 0 ? undefined : found.record;
}

function hasAll(current: IDataObject, values: IDataObject): boolean {
	return Object.entries(values).every(([name, value]) =>
		isSameValue(Object.hasOwn(current, name) ? current[name] : undefined, value),
	);
}

function getContactFields(context: IExecutePaginationFunctions, email: string): IDataObject {
	const mode = context.getNodeParameter('dataToSend', 'defineBelow');
	switch (parseChoice(mode, 'Data to Send', DATA_TO_SEND)) {
		case 'autoMapInputData':
			return mapInputFields(context, email);
		case 'json':
			return parseJsonObject(context.getNodeParameter('bodyJson', ''), 'Fields (JSON)');
		case 'defineBelow':
			return parseFieldRows(context.getNodeParameter('fieldsUi', {}) as IDataObject);
	}
}

/** The item's own fields, except those to ignore, the one that the address came from, and any that is called email. */
function mapInputFields(context: IExecutePaginationFunctions, email: string): IDataObject {
	const ignored = new Set(
		parseOptionalList(context.getNodeParameter('inputsToIgnore', ''), 'Inputs to Ignore'),
	);
	const sources = findFieldNames(context.getNode().parameters.email);
	const isAddress = (name: string, value: unknown) =>
		/^e-?mail$/i.test(name) || (sources.has(name) && isSameAddress(value, email));
	return Object.fromEntries(
		Object.entries(context.getInputData().json).filter(
			([name, value]) => value !== undefined && !ignored.has(name) && !isAddress(name, value),
		),
	);
}

/** The input fields that an expression uses: `$json.login`, `$json["Mail address"]`, `$('Form').item.json.login`. */
function findFieldNames(expression: unknown): Set<string> {
	const uses = String(expression).matchAll(
		/\bjson(?:\??\.([\p{L}\w$]+)|(?:\?\.)?\[\s*(["'`])([^"'`]*)\2\s*\])/gu,
	);
	return new Set([...uses].map(([, name, , quoted]) => name ?? quoted));
}

function isSameAddress(value: unknown, email: string): boolean {
	const address = getEmail(value);
	return (
		typeof address === 'string' &&
		cleanAddress(address.replace(/[,;]$/, '')).toLowerCase() === email.toLowerCase()
	);
}

function parseFieldRows(collection: IDataObject): IDataObject {
	const rows = (collection.fields ?? []) as Array<{ name?: unknown; value?: unknown }>;
	const values: IDataObject = {};
	for (const { name, value } of rows) {
		const field = parseText(name ?? '', 'Fields > Name').trim();
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
		if (value === undefined) {
			throw new UserError(`The value of the contact field "${field}" is empty`, {
				description: `The expression returned nothing. Check that the field exists in the input item, or remove the row of "${field}" from "Fields".`,
			});
		}
		values[field] = value as IDataObject[string];
	}
	return values;
}

import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';

import { CONTACT_LIST, fetchEntries } from '../../../shared/api/lists';
import { expectRecord, readRecord } from '../../../shared/api/records';
import { rowsField } from '../../../shared/descriptions/options';
import { getEmail, toAddressKey } from '../../../shared/parameters/addresses';
import { buildPath, type QueryParameters } from '../../../shared/parameters/requests';
import { emptyError, parseList, parseShortText } from '../../../shared/parameters/values';
import { isObject, toCanonicalText } from '../../../shared/responses/shapes';
import { choiceField, simpleField } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { parseJsonObject, toJson } from '../../parameters/json';

const EMAIL_NAME = /^e-?mail$/i;
/** The service sets these, whatever is sent: a record that was read can be changed and sent back with them. */
const SET_BY_SERVICE = ['created_date', 'updated_date'];
/** Text in the API, where a table can have a number. */
const TEXTS = ['first_name', 'last_name', 'company', 'phone_number'];
const AUTO_MAP = 'Auto-Map Input Data to Fields';
const IGNORE = 'Inputs to Ignore';

const dataToSend = choiceField(
	['Data to Send', 'dataToSend', 'defineBelow'],
	{
		autoMapInputData: [AUTO_MAP, 'Use when the input has the names of the contact fields'],
		defineBelow: ['Define Below for Each Field', 'Set the value for each field'],
		json: ['JSON', 'Set all fields in one JSON object'],
	},
	'How to enter the fields of the contact',
	{ noDataExpression: true },
);

type DataToSend = 'autoMapInputData' | 'defineBelow' | 'json';

const rowsOfFields = rowsField(
	{
		displayName: 'Fields',
		name: 'fieldsUi',
		placeholder: 'Add Field',
		description: "Fields you don't add stay as they are",
		displayOptions: { show: { dataToSend: ['defineBelow'] } },
	},
	{ displayName: 'Field', name: 'fields' },
	{
		placeholder: 'e.g. first_name',
		description: 'Such as first_name, last_name, company or phone_number',
	},
	{ placeholder: 'e.g. Anna' },
);

const sourceFields: INodeProperties[] = [
	simpleField([IGNORE, 'inputsToIgnore', ''], 'Input fields not to send, separated by commas', {
		placeholder: 'e.g. crm_id, updated_at',
		displayOptions: { show: { dataToSend: ['autoMapInputData'] } },
	}),
	rowsOfFields,
	simpleField(
		['Fields (JSON)', 'bodyJson', '{\n  "first_name": "Anna",\n  "company": "Example Ltd"\n}'],
		'The contact fields as one JSON object',
		{ type: 'json', required: true, displayOptions: { show: { dataToSend: ['json'] } } },
	),
];

/** Where the input is a table, its columns are the fields. */
export const tableFields = [{ ...dataToSend, default: 'autoMapInputData' }, ...sourceFields];

const skipUnchangedOption = simpleField(
	['Skip Unchanged', 'skipUnchanged', false],
	'Whether to read the contact list once and skip contacts that already have all these values',
);

export const upsertContact = defineOperation({
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update a contact',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	endpoint: { method: 'PATCH', path: '/users/{userId}/contacts/{email}' },
	fields: [dataToSend, ...sourceFields],
	options: [skipUnchangedOption],
	parse(item) {
		const { contactEmail: email } = item.pathParams;
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

/** @throws UserError for fields that can't be sent, such as another address than that of the contact */
export function parseContactFields(item: Item, email: string): IDataObject {
	const mode = item.read(dataToSend);
	const fields = new Map<string, unknown>();
	for (const [name, value] of Object.entries(readEnteredFields(item, mode, email))) {
		if (SET_BY_SERVICE.includes(name)) continue;
		if (!EMAIL_NAME.test(name)) {
			const isText = TEXTS.includes(name) && typeof value === 'number';
			fields.set(name, isText ? String(value) : value);
			continue;
		}
		// The address is what finds the contact, and is in the path of the request.
		if (mode === 'autoMapInputData' || isSameAddress(value, email)) continue;
		throw new UserError(`The field "${name}" has another address than "Email"`, {
			description: `Nothing was sent. Remove "${name}" from the fields: "Email" says which contact it is. For a new address, create a contact and delete the old one.`,
		});
	}
	return Object.fromEntries(fields) as IDataObject;
}

function readEnteredFields(item: Item, mode: DataToSend, email: string): IDataObject {
	if (mode === 'autoMapInputData') return mapInputFields(item, email);
	if (mode === 'defineBelow') return parseFieldRows(item);
	return parseJsonObject(item.getParameter('bodyJson', ''), 'Fields (JSON)');
}

/** The item's own fields, except those to ignore and the one that the address came from. */
function mapInputFields(item: Item, email: string): IDataObject {
	if (item.isTool) {
		throw new UserError(`A tool can't use "${AUTO_MAP}"`, {
			description:
				'Nothing was sent. The input of a tool is that of its agent, such as the chat message. Let the model define the values: choose another way in "Data to Send".',
		});
	}
	const ignored = parseList(item.getParameter('inputsToIgnore', ''), IGNORE);
	const expression = String(item.getRaw('email'));
	const fields = Object.entries(item.input.json).filter(([name, value]) => {
		const isSource = expression.includes(name) && isSameAddress(value, email);
		return !isSource && !ignored.includes(name);
	});
	const advice = `, or enter the input field that has it in "${IGNORE}"`;
	const json = toJson(Object.fromEntries(fields), AUTO_MAP, advice);
	return JSON.parse(json) as IDataObject;
}

function isSameAddress(value: unknown, email: string): boolean {
	return toAddressKey(String(getEmail(value))) === toAddressKey(email);
}

function parseFieldRows(item: Item): IDataObject {
	const values = new Map<string, unknown>();
	for (const { name, value } of item.read(rowsOfFields)) {
		const field = parseShortText(name ?? '', 'Fields > Name').trim();
		if (field === '') throw createEmptyRowError('Name');
		if (value === undefined) throw createEmptyRowError(field);
		if (values.has(field)) {
			const description = 'Nothing was sent. Remove one of the rows.';
			throw new UserError(`"Fields" contains "${field}" twice`, { description });
		}
		values.set(field, value);
	}
	const json = toJson(Object.fromEntries(values), 'Fields');
	return JSON.parse(json) as IDataObject;
}

function createEmptyRowError(what: string): UserError {
	return emptyError(`Fields > ${what}`, 'Enter it in each row of "Fields", or remove the row.');
}

/** The contacts of a user by `toAddressKey`: an address is the same person in any capitals. */
export async function fetchContacts({ client }: Item, userId: string, query?: QueryParameters) {
	const entries = await fetchEntries(client, CONTACT_LIST, userId, { query });
	return new Map(entries.map((entry) => [toAddressKey(entry.id), entry]));
}

/** The names of the fields whose values differ. */
export function listChangedFields(contact: IDataObject, fields: IDataObject): string[] {
	const { fields: shown } = readRecord('contact', contact);
	return Object.keys(fields).filter(
		(name) => toComparedText(shown[name]) !== toComparedText(fields[name]),
	);
}

/** The same for null and nothing, a number and its text, and a text with spaces around it. */
function toComparedText(value: unknown): string {
	return isObject(value) ? toCanonicalText(value) : String(value ?? '').trim();
}

/**
 * Creates or updates a contact (docs/openapi.yaml, upsertContact). Returns the record, where the service shows it.
 * @throws ServiceError also where it shows another contact
 */
export async function writeContact(item: Item, userId: string, email: string, json: IDataObject) {
	const request = {
		method: 'PATCH',
		path: buildPath(['users', userId, 'contacts', email]),
		action: 'create or update the contact',
		json,
		subject: { contactEmail: email },
		expected: expectRecord('contact'),
	} as const;
	const { object: record } = await item.client.requestChange(request);
	const { id: shown = email } = readRecord('contact', record ?? {});
	if (toAddressKey(shown) === toAddressKey(email)) return record;
	throw item.client.createError(request, {
		kind: 'unexpected',
		expected: `the contact "${email}"`,
		received: `the contact "${shown}"`,
	});
}

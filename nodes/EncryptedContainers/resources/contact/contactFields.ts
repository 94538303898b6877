import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';

import { rowsField, simpleField } from '../../../shared/descriptions/options';
import { getEmail, toAddressKey } from '../../../shared/parameters/addresses';
import { emptyError, parseList, parseShortText } from '../../../shared/parameters/values';
import { choiceField } from '../../descriptions/commonFields';
import type { Item } from '../../execution/item';
import { parseJsonObject, toJson } from '../../parameters/json';

const EMAIL_NAME = /^e-?mail$/i;
/** The service sets these, whatever is sent: a record that was read can be changed and sent back with them. */
const SET_BY_SERVICE = ['created_date', 'updated_date'];
/** Text in the API, where a table can have a number. */
const TEXTS = ['first_name', 'last_name', 'company', 'phone_number'];
const AUTO_MAP = 'Auto-Map Input Data to Fields';
const IGNORE = 'Inputs to Ignore';

export const dataToSend = choiceField(
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

export const sourceFields: INodeProperties[] = [
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

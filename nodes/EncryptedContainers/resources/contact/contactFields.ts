import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { toAddressKey } from '../../../shared/parameters/addresses';
import { cleanAddress, getEmail, parseOptionalList } from '../../../shared/parameters/lists';
import { parseChoice, parseShortText } from '../../../shared/parameters/scalars';
import { toMoment } from '../../../shared/parameters/values';
import { isRecord } from '../../../shared/responses/shapes';
import type { Item } from '../../execution/item';
import { parseJsonObject, toJson } from '../../parameters/json';
import { DATA_TO_SEND } from './dataFields';

const EMAIL_NAME = /^e-?mail$/i;
const PROTOTYPE_KEY = /^(__proto__|constructor|prototype)$/;

/**
 * The fields of a contact as the item defines them.
 *
 * @param email the contact's address, which is not one of them
 * @throws UserError for fields that can't be sent
 */
export function getContactFields(item: Item, email: string): IDataObject {
	const mode = parseChoice(item.getParameter('dataToSend'), 'Data to Send', DATA_TO_SEND);
	if (mode === 'autoMapInputData') return mapInputFields(item, email);
	const fields =
		mode === 'json'
			? parseJsonObject(item.getParameter('bodyJson', ''), 'Fields (JSON)')
			: parseFieldRows(item.getParameter('fieldsUi', {}) as IDataObject);
	// The address is what finds the contact: another one in its fields would rename it.
	const other = Object.keys(fields).find(
		(name) =>
			EMAIL_NAME.test(name) &&
			toAddressKey(String(getEmail(fields[name]) ?? '')) !== toAddressKey(email),
	);
	if (other === undefined) return fields;
	throw new UserError(`The field "${other}" has another address than "Email"`, {
		description: `Nothing was sent. Remove "${other}" from the fields: "Email" says which contact it is. For a new address, create a contact and delete the old one.`,
	});
}

/** The item's own fields, except those to ignore, the one that the address came from, and any that is called email. */
function mapInputFields(item: Item, email: string): IDataObject {
	const ignored = parseOptionalList(item.getParameter('inputsToIgnore', ''), 'Inputs to Ignore');
	const expression = String(item.getRawParameter('email'));
	const isSource = (name: string, value: unknown) =>
		EMAIL_NAME.test(name) || (expression.includes(name) && isSameAddress(value, email));
	const fields = Object.entries(item.input.json).filter(
		([name, value]) => value !== undefined && !ignored.includes(name) && !isSource(name, value),
	);
	return withoutPrototypes(Object.fromEntries(fields)) as IDataObject;
}

/** A copy without keys that change objects of programs that copy them; whoever sends the input chooses its keys. */
function withoutPrototypes(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutPrototypes);
	if (!isRecord(value) || toMoment(value) !== undefined) return value;
	const fields = Object.entries(value).filter(([name]) => !PROTOTYPE_KEY.test(name));
	return Object.fromEntries(fields.map(([name, held]) => [name, withoutPrototypes(held)]));
}

function isSameAddress(value: unknown, email: string): boolean {
	const address = getEmail(value);
	if (typeof address !== 'string') return false;
	return toAddressKey(cleanAddress(address.replace(/[,;]$/, ''))) === toAddressKey(email);
}

function parseFieldRows(collection: IDataObject): IDataObject {
	const rows = (collection.fields ?? []) as Array<{ name?: unknown; value?: unknown }>;
	const values = rows.map(({ name, value }): [string, unknown] => {
		const field = parseShortText(name ?? '', 'Fields > Name').trim();
		if (field === '') {
			throw new UserError('A contact field has no name', {
				description: 'Enter a name such as first_name in each row of "Fields", or remove the row.',
			});
		}
		if (value === undefined) {
			throw new UserError(`The value of the contact field "${field}" is empty`, {
				description: `The expression returned nothing. Check that the field exists in the input item, or remove the row of "${field}" from "Fields".`,
			});
		}
		return [field, value];
	});
	const fields = Object.fromEntries(values) as IDataObject;
	toJson(fields, 'Fields');
	return fields;
}

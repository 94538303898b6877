import { UserError, type IDataObject } from 'n8n-workflow';

import { describeValue } from '../../shared/parameters/values';
import { HIDDEN } from '../../shared/responses/redact';
import { isObject, isRecord } from '../../shared/responses/shapes';

/** Parses a JSON field, which is text or, from an expression, an object; returns a copy. */
export function parseJsonObject(value: unknown, label: string): IDataObject {
	const parsed = typeof value === 'string' ? parseJsonText(value, label) : value;
	if (isRecord(parsed)) return JSON.parse(toJson(parsed, label)) as IDataObject;
	throw new UserError(`"${label}" is not a JSON object`, {
		description: `${typeof value === 'string' ? '' : `${describeValue(value)} `}Enter a JSON object in "${label}". It starts with { and ends with }.`,
	});
}

function parseJsonText(text: string, label: string): unknown {
	let problem = 'empty';
	try {
		return JSON.parse(text.replace(/^\uFEFF/, ' '));
	} catch {
		// The parser's message may quote a secret.
		if (text.trim() !== '') problem = 'not valid JSON';
	}
	throw new UserError(`"${label}" is ${problem}`, {
		description: `Enter a JSON object in "${label}", and check its commas, quotes and brackets. Put expressions inside the JSON in quotes, or use JSON.stringify().`,
	});
}

/** @throws UserError for what JSON turns into null, and what was hidden. `ignore` says what to do with an input field */
export function toJson(value: object, label: string, ignore?: string): string {
	return JSON.stringify(value, function (this: IDataObject, name, held: unknown) {
		const field = `"${name}" in "${label}"`;
		// An invalid date. In a table, it is an empty one.
		const isNoDate = held === null && isObject(this[name]) && ignore === undefined;
		const isNoNumber = typeof held === 'number' && !Number.isFinite(held);
		if (isNoNumber || isNoDate || held === 'Invalid Date' || held === 'Invalid DateTime') {
			throw new UserError(`${field} is not a ${isNoNumber ? 'number' : 'date'}`, {
				description:
					'Nothing was sent. An expression uses a value that is missing or of another kind. Check the fields of the input item that it uses.',
			});
		}
		if (held !== HIDDEN) return held;
		throw new UserError(`${field} is "${HIDDEN}"`, {
			description: `Nothing was sent. The node hid the value in its output, and would now overwrite it. Remove the field${ignore ?? ''}.`,
		});
	});
}

/** What is sent under the name that passwords have in the API, at any depth. */
export function findPasswords(sent: object): string[] {
	const found = new Set<string>();
	JSON.stringify(sent, (key, held: unknown) => {
		if (key === 'password' && ['string', 'number'].includes(typeof held)) found.add(String(held));
		return held;
	});
	return [...found];
}

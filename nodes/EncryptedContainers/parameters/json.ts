import { UserError, type IDataObject } from 'n8n-workflow';

import { describeValue } from '../../shared/parameters/values';
import { getJsonErrorOffset } from '../../shared/responses/parseJson';
import { HIDDEN } from '../../shared/responses/redact';
import { isObject, isRecord } from '../../shared/responses/shapes';

/** Programs that copy an object change all their objects by a field with such a name. */
const PROTOTYPE_FIELDS = ['__proto__', 'constructor', 'prototype'];

/** Parses a JSON field, which is text or, from an expression, an object; returns a copy. */
export function parseJsonObject(value: unknown, label: string): IDataObject {
	const parsed = typeof value === 'string' ? parseJsonText(value, label) : value;
	if (isRecord(parsed)) return JSON.parse(toJson(parsed, label)) as IDataObject;
	throw new UserError(`"${label}" is not a JSON object`, {
		description: `${typeof value === 'string' ? '' : `${describeValue(value)} `}Enter a JSON object in "${label}". It starts with { and ends with }.`,
	});
}

/** @param ignore of the fields of an input item: what to do with one. Those with a name for prototypes are left out then */
export function toJson(value: object, label: string, ignore?: string): string {
	const paths = new Map<unknown, string[]>();
	function check(this: unknown, key: string, held: unknown): unknown {
		const parent = paths.get(this) ?? [];
		// The entries of a list have its name.
		const path = Array.isArray(this) || key === '' ? parent : [...parent, key];
		if (isObject(held)) paths.set(held, path);
		const name = path.at(-1) ?? '';
		// JSON would have null, which removes what was there.
		if (typeof held === 'number' && !Number.isFinite(held)) {
			throw new UserError(`The value of "${name}" in "${label}" is not a number`, {
				description:
					'Nothing was sent. An expression calculates with a value that is missing or not a number. Check the fields of the input item that it uses.',
			});
		}
		// In a table, it is an empty date.
		const isNoDate = held === null && isObject((this as IDataObject)[key]) && ignore === undefined;
		if (isNoDate || ['Invalid Date', 'Invalid DateTime'].includes(held as string)) {
			throw new UserError(`"${label}: ${path.join('.')}" is not a date`, {
				description:
					'Nothing was sent. An expression makes a date of a value that is missing or no date. Check the fields of the input item that it uses.',
			});
		}
		if (held === HIDDEN) {
			throw new UserError(`The value of "${name}" in "${label}" is "${HIDDEN}"`, {
				description: `Nothing was sent. The node hid the value in its output, and would now overwrite it. Remove the field "${name}"${ignore ?? ''}.`,
			});
		}
		if (!PROTOTYPE_FIELDS.includes(key)) return held;
		if (ignore !== undefined) return undefined;
		throw new UserError(`"${label}" contains a field with the name "${key}"`, {
			description: `Nothing was sent. Programs use this name for themselves. Remove the field from "${label}".`,
		});
	}
	const { value: json = '', error } = attempt(() => JSON.stringify(value, check));
	if (error === undefined) return json;
	if (error instanceof UserError) throw error;
	throw new UserError(`"${label}" can't be sent as JSON`, {
		description: `Its value is nested too deeply, or contains itself. Enter a plain JSON object in "${label}".`,
	});
}

function parseJsonText(text: string, label: string): unknown {
	if (text.trim() === '') {
		throw new UserError(`"${label}" is empty`, {
			description: `Enter a JSON object in "${label}", or use the fields instead of JSON.`,
		});
	}
	const { value, error } = attempt(() => JSON.parse(text.replace(/^\uFEFF/, ' ')) as unknown);
	if (error === undefined) return value;
	throw new UserError(`"${label}" is not valid JSON${describePosition(error, text)}`, {
		description: `Check the commas, quotes and brackets in "${label}". Put expressions inside the JSON in quotes, or use JSON.stringify().`,
	});
}

function attempt<T>(task: () => T): { value?: T; error?: unknown } {
	try {
		return { value: task() };
	} catch (error) {
		return { error };
	}
}

function describePosition(error: unknown, text: string): string {
	const offset = getJsonErrorOffset(error, text);
	if (offset === undefined) return '';
	if (offset >= text.length) return ': it ends too early';
	const lines = text.slice(0, offset).split('\n');
	return ` at line ${lines.length}, column ${lines[lines.length - 1].length + 1}`;
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

import { UserError, type IDataObject } from 'n8n-workflow';

import { describeValue } from '../../shared/parameters/values';
import { getJsonErrorOffset } from '../../shared/responses/parseJson';
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

/** @param ignore of the fields of an input item: what to do with one */
export function toJson(value: object, label: string, ignore?: string): string {
	function check(this: IDataObject, name: string, held: unknown): unknown {
		// In a table, it is an empty date.
		const isNoDate = held === null && isObject(this[name]) && ignore === undefined;
		assertValue(isNoDate ? 'Invalid Date' : held, `"${name}" in "${label}"`, ignore);
		return held;
	}
	const { value: json = '', error } = attempt(() => JSON.stringify(value, check));
	if (error === undefined) return json;
	if (error instanceof UserError) throw error;
	throw new UserError(`"${label}" can't be sent as JSON`, {
		description: `Its value is nested too deeply, or contains itself. Enter a plain JSON object in "${label}".`,
	});
}

/** @throws UserError for what JSON would turn into null, which removes what was there, and for what was hidden */
function assertValue(value: unknown, field: string, ignore = ''): void {
	const isNoNumber = typeof value === 'number' && !Number.isFinite(value);
	if (isNoNumber || value === 'Invalid Date' || value === 'Invalid DateTime') {
		throw new UserError(`${field} is not a ${isNoNumber ? 'number' : 'date'}`, {
			description:
				'Nothing was sent. An expression uses a value that is missing or of another kind. Check the fields of the input item that it uses.',
		});
	}
	if (value !== HIDDEN) return;
	throw new UserError(`${field} is "${HIDDEN}"`, {
		description: `Nothing was sent. The node hid the value in its output, and would now overwrite it. Remove the field${ignore}.`,
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

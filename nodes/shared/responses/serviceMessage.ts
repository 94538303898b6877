import type { IDataObject } from 'n8n-workflow';

import type { Outcome } from './outcome';
import type { Body } from './body';
import { isObject, isRecord, normalizeKeys, pick } from './shapes';

const MAX_QUOTED = 5;
const MAX_LEVELS = 4;

/**
 * Finds the service's own words in a body of any shape (docs/openapi.yaml leaves it open).
 *
 * @returns text as it was received, or undefined when the body says nothing to a person
 */
export function findServiceMessage(body: Body): string | undefined {
	if (body.kind === 'text') return body.text;
	if (body.kind === 'html') return body.title && `HTML page "${body.title}"`;
	const message = findMessage(body.value, MAX_LEVELS);
	const fields = isRecord(body.value) ? normalizeKeys(body.value) : {};
	const code = pick(fields, 'code').find(
		(held) => /^(string|number)$/.test(typeof held) && held !== '',
	);
	if (code === undefined || message?.includes(String(code))) return message;
	return message === undefined ? String(code) : `${message} (${String(code)})`;
}

/** Says what was received in place of what was expected, in words that follow "returned". */
export function describeBody(body: Body, outcome?: Outcome): string {
	if (outcome === 'pending') return 'a response that says that it is not done yet';
	if (body.kind === 'empty') return 'an empty response';
	const message = outcome === 'failed' ? findServiceMessage(body) : undefined;
	if (message !== undefined) return `the failure "${message}"`;
	const { value } = body;
	if (body.kind !== 'json' || typeof value === 'string') return 'text';
	if (!isObject(value)) return `the JSON value ${String(value)}`;
	const isList = Array.isArray(value);
	if (outcome === 'failed') return `${isList ? 'a list' : 'a JSON object'} that reports a failure`;
	const fields = Object.keys(value).slice(0, MAX_QUOTED).join(', ');
	if (isList) return 'a list';
	return fields === '' ? 'an empty JSON object' : `a JSON object with the fields ${fields}`;
}

function findMessage(value: unknown, levels: number, isHeld = false): string | undefined {
	if (levels === 0) return undefined;
	if (typeof value === 'string') return value.trim() || undefined;
	if (Array.isArray(value)) {
		return join(value.slice(0, MAX_QUOTED).map((entry) => findMessage(entry, levels - 1, isHeld)));
	}
	if (!isRecord(value)) return undefined;
	const known = normalizeKeys(value);
	const message = [...pick(known, 'message'), ...pick(known, 'messageHolder')]
		.map((held) => findMessage(held, levels - 1, held !== known.data && isObject(held)))
		.find((words) => words !== undefined);
	if (message === undefined) {
		// Django REST returns nothing but a list of messages for each field.
		const isByField =
			isHeld || (levels === MAX_LEVELS && Object.values(value).every(Array.isArray));
		return isByField ? findMessagesByField(value, levels) : undefined;
	}
	// FastAPI returns the path of the field in `loc`; Laravel and .NET return what is wrong with each field beside it.
	const { loc, errors = known.modelstate } = known;
	const place = Array.isArray(loc) && loc.length > 0 ? `${loc.join('.')}: ` : '';
	const fields = isRecord(errors) ? (findMessagesByField(errors, levels - 1) ?? '') : '';
	return `${place}${message}${message.includes(fields) ? '' : ` ${fields}`}`;
}

/** Validators put their words under the name of each field: `{ "errors": { "name": ["is missing"] } }`. */
function findMessagesByField(value: IDataObject, levels: number): string | undefined {
	const fields = Object.entries(value).slice(0, MAX_QUOTED);
	return join(
		fields.map(([field, held]) => {
			const words = findMessage(held, levels - 1);
			return words && `${field}: ${words}`;
		}),
	);
}

function join(parts: Array<string | undefined>): string | undefined {
	return parts.filter(Boolean).join('; ') || undefined;
}

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
	const code = pick(fields, 'code').find(isScalar);
	if (message === undefined) return code === undefined ? undefined : String(code);
	const isTold = code === undefined || message.includes(String(code));
	return isTold ? message : `${message} (${String(code)})`;
}

/** Says what was received in place of what was expected, in words that follow "returned". */
export function describeBody(body: Body, outcome?: Outcome): string {
	if (outcome === 'pending') return 'a response that says that it is not done yet';
	if (body.kind === 'empty') return 'an empty response';
	const { value, kind } = body;
	const message = findServiceMessage(body);
	if (outcome === 'failed' && message !== undefined) return `the failure "${message}"`;
	if (kind !== 'json') return 'text';
	if (typeof value === 'string') return 'text in JSON';
	if (!isObject(value)) return `the JSON value ${String(value)}`;
	const fields = Object.keys(value);
	const what = Array.isArray(value) ? 'a list' : 'a JSON object';
	if (fields.length === 0) return Array.isArray(value) ? what : 'an empty JSON object';
	if (outcome === 'failed') {
		return message === undefined ? `${what} that reports a failure` : `the failure "${message}"`;
	}
	if (Array.isArray(value)) return what;
	return `a JSON object with the fields ${fields.slice(0, MAX_QUOTED).join(', ')}`;
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
		.map((held) => findMessage(held, levels - 1, held !== known.data && typeof held === 'object'))
		.find((words) => words !== undefined);
	if (message !== undefined) return withPlace(known, withFieldErrors(known, message, levels));
	if (isHeld) return findMessagesByField(value, levels);
	// Django REST returns nothing but a list of messages for each field.
	const isByField = levels === MAX_LEVELS && Object.values(value).every(Array.isArray);
	return isByField ? findMessagesByField(value, levels) : undefined;
}

/** Laravel and .NET return a general message, and what is wrong with each field beside it. */
function withFieldErrors(value: IDataObject, message: string, levels: number): string {
	const errors = value.errors ?? value.modelstate;
	if (!isRecord(errors)) return message;
	const fields = findMessagesByField(errors, levels - 1);
	return fields === undefined || message.includes(fields) ? message : `${message} ${fields}`;
}

/** FastAPI returns the path of the field in `loc`. */
function withPlace({ loc }: IDataObject, message: string): string {
	return Array.isArray(loc) && loc.length > 0 ? `${loc.join('.')}: ${message}` : message;
}

/** Validators put their words under the name of each field: `{ "errors": { "name": ["is missing"] } }`. */
function findMessagesByField(value: IDataObject, levels: number): string | undefined {
	const fields = Object.entries(value).slice(0, MAX_QUOTED);
	return join(
		fields.map(([field, held]) => {
			const words = findMessage(held, levels - 1);
			return words === undefined ? undefined : `${field}: ${words}`;
		}),
	);
}

function join(parts: Array<string | undefined>): string | undefined {
	return parts.filter(Boolean).join('; ') || undefined;
}

function isScalar(value: unknown): value is string | number {
	return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

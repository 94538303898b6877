import type { IDataObject } from 'n8n-workflow';

import type { Outcome } from './outcome';
import type { Body } from './body';
import { mentionsPassword } from './redact';
import { isObject, isRecord, normalizeKeys, pick } from './shapes';

const MAX_QUOTED = 5;
const MAX_LEVELS = 4;

/** The service's own words, as they came, in a body of any shape (docs/openapi.yaml leaves it open), if it has any. */
export function findServiceMessage(body: Body): string | undefined {
	if (body.kind === 'text') return body.text;
	if (body.kind === 'html') return body.title && `HTML page "${body.title}"`;
	const message = findWords(body.value, MAX_LEVELS);
	const fields = isRecord(body.value) ? normalizeKeys(body.value) : {};
	const isCode = (held: unknown) => /^(string|number)$/.test(typeof held) && held !== '';
	const [code = ''] = pick(fields, 'code').filter(isCode).map(String);
	return !message || message.includes(code) ? message : `${message} (${code})`;
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
	if (Array.isArray(value)) return 'a list';
	const fields = Object.keys(value).slice(0, MAX_QUOTED).join(', ');
	return fields === '' ? 'an empty JSON object' : `a JSON object with the fields ${fields}`;
}

/** The words in the likeliest place, with what is wrong with each field. A record without such a place is quoted. */
function findWords(value: unknown, levels: number): string | undefined {
	if (typeof value === 'string') return value.trim() || undefined;
	if (!isObject(value) || levels === 0) return undefined;
	const find = (held: unknown) => findWords(held, levels - 1);
	if (Array.isArray(value)) return join(value.slice(0, MAX_QUOTED).map(find));
	const fields = normalizeKeys(value as IDataObject);
	const places = [...pick(fields, 'message'), ...pick(fields, 'messageHolder')];
	const message = places.map(find).find(Boolean);
	if (message === undefined) return quoteFields(value, levels - 1);
	const errors = find(fields.errors) ?? '';
	return message.includes(errors) ? message : `${message} ${errors}`;
}

function quoteFields(value: object, levels: number): string | undefined {
	const fields = Object.entries(value).filter(([field]) => !mentionsPassword(field));
	const quoted = fields.slice(0, MAX_QUOTED).map(([field, held]) => {
		const words = isObject(held) ? findWords(held, levels) : String(held ?? '');
		return words && `${field}: ${words}`;
	});
	return join(quoted);
}

function join(parts: Array<string | undefined>): string | undefined {
	return parts.filter(Boolean).join('; ') || undefined;
}

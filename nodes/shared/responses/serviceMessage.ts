import type { Body } from './body';
import { isObject, isRecord } from './shapes';

/** Where services put their words for a person, the likeliest place first. */
const MESSAGES = ['message', 'error_description', 'detail', 'msg', 'title', 'error', 'errors'];
const MAX_QUOTED = 5;
const MAX_LEVELS = 4;

/** The service's own words, with what is wrong with each field, if it has any. */
export function findServiceMessage(body: Body): string | undefined {
	if (body.kind === 'text') return body.text;
	if (body.kind === 'html') return body.title && `HTML page "${body.title}"`;
	return findWords(body.value, MAX_LEVELS);
}

/** Says what was received in place of what was expected, in words that follow "returned". */
export function describeBody({ kind, value }: Body): string {
	if (kind === 'empty') return 'an empty response';
	if (kind !== 'json' || typeof value === 'string') return 'text';
	if (!isObject(value)) return `the JSON value ${String(value)}`;
	if (Array.isArray(value)) return 'a list';
	const fields = Object.keys(value).slice(0, MAX_QUOTED).join(', ');
	return fields === '' ? 'an empty JSON object' : `a JSON object with the fields ${fields}`;
}

function findWords(value: unknown, levels: number): string | undefined {
	if (typeof value === 'string') return value.trim() || undefined;
	if (!isObject(value) || levels === 0) return undefined;
	const find = (held: unknown) => findWords(held, levels - 1);
	if (Array.isArray(value)) return join(value.slice(0, MAX_QUOTED).map(find));
	const message = MESSAGES.map((name) => find(value[name])).find(Boolean);
	if (message === undefined) return quoteFields(value, find);
	const details = join([value.fields, value.errors].map(find)) ?? '';
	const isSaid = details.split(/: |; /).every((part) => message.includes(part));
	const place = findPlace(value);
	const { code = '' } = value;
	return [
		place && `${place}: `,
		isSaid ? message : `${message.replace(/[.:]$/, '')}: ${details}`,
		typeof code === 'string' && !message.includes(code) && ` (${code})`,
	]
		.filter(Boolean)
		.join('');
}

/** Which field an error is about: the path of FastAPI, or the pointer of JSON:API and RFC 9457. */
function findPlace({ loc, pointer, source }: Record<string, unknown>): string | undefined {
	const place = isRecord(source) ? source.pointer : pointer;
	if (Array.isArray(loc)) return loc.join('.');
	return typeof place === 'string' ? place : undefined;
}

function quoteFields(value: object, find: (held: unknown) => string | undefined) {
	const quoted = Object.entries(value).map(([name, held]) => {
		const words = isObject(held) ? find(held) : String(held ?? '');
		return words && `${name}: ${words}`;
	});
	return join(quoted.filter(Boolean).slice(0, MAX_QUOTED));
}

function join(parts: Array<string | undefined>): string | undefined {
	return parts.filter(Boolean).join('; ') || undefined;
}

import { isObject, isRecord } from './shapes';

/** Where services put their words for a person, the likeliest place first. */
const MESSAGES = ['message', 'error_description', 'detail', 'msg', 'title', 'error', 'errors'];
const MAX_QUOTED = 5;
const MAX_LEVELS = 4;

/** The service's own words in a response, with what is wrong with each field, if it has any. */
export function findServiceMessage(value: unknown, levels = MAX_LEVELS): string | undefined {
	if (typeof value === 'string') return value.trim() || undefined;
	if (!isObject(value) || levels === 0) return undefined;
	const find = (held: unknown) => findServiceMessage(held, levels - 1);
	if (Array.isArray(value)) return join(value.slice(0, MAX_QUOTED).map(find));
	const message = MESSAGES.map((name) => find(value[name])).find(Boolean);
	if (message === undefined) return quoteFields(value, find);
	const details = join([value.fields, value.errors].map(find)) ?? '';
	const isSaid = details.split(/: |; /).every((part) => message.includes(part));
	const said = isSaid ? message : `${message.replace(/[.:]$/, '')}: ${details}`;
	const { code, loc, pointer = isRecord(value.source) ? value.source.pointer : undefined } = value;
	// Which field it is about: the path of FastAPI, or the pointer of JSON:API and RFC 9457.
	const place = Array.isArray(loc) ? loc.join('.') : pointer;
	const isCoded = typeof code === 'string' && code !== '' && !message.includes(code);
	const text = isCoded ? `${said.replace(/\.$/, '')} (${code})` : said;
	return typeof place === 'string' ? `${place}: ${text}` : text;
}

/** Says what was received in place of what was expected, in words that follow "returned". */
export function describeReceived(value: unknown): string {
	if (value === undefined) return 'an empty response';
	if (typeof value === 'string') return 'text';
	if (!isObject(value)) return `the JSON value ${String(value)}`;
	if (Array.isArray(value)) return 'a list';
	const fields = Object.keys(value).slice(0, MAX_QUOTED).join(', ');
	return fields === '' ? 'an empty JSON object' : `a JSON object with the fields ${fields}`;
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

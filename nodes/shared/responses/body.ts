import { isObject, isRecord } from './shapes';
import { takeBreak } from './takeBreak';

/** The parsed JSON, or any other text; neither for an empty body, and for one that can't be used. */
export interface Body {
	value?: unknown;
	/** What else was received, in words that follow "returned". */
	problem?: string;
	isHtml?: boolean;
}

const MB = 1_000_000;

export const MAX_BYTES = { page: 64 * MB, record: 8 * MB, error: MB };

/** Bytes that take milliseconds to parse. */
const LARGE = 100_000;

/** Deeper than any record of the service; n8n processes items recursively and would overflow its stack. */
const MAX_DEPTH = 100;

/** Where services put their words for a person, the likeliest place first. */
const MESSAGES = ['message', 'error_description', 'detail', 'msg', 'title', 'error', 'errors'];
const MAX_QUOTED = 5;
const MAX_LEVELS = 4;

/** Reads and parses UTF-8. Versions of n8n that answer a request themselves return text or JSON in place of a stream. */
export async function readBody(stream: unknown, maxBytes: number): Promise<Body> {
	if (!isObject(stream) || !(Symbol.asyncIterator in stream)) {
		return parseBody(typeof stream === 'string' ? stream : (JSON.stringify(stream) ?? ''));
	}
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
		length += chunk.length;
		if (length > maxBytes) return { problem: `more than ${maxBytes / MB} MB` };
		chunks.push(chunk);
	}
	if (length > LARGE) await takeBreak();
	return parseBody(Buffer.concat(chunks).toString());
}

function parseBody(received: string): Body {
	const text = received.trim();
	if (text === '') return {};
	if (text.startsWith('<')) return { problem: describeHtml(text), isHtml: true };
	try {
		const value: unknown = JSON.parse(text);
		return sanitize(value, 1) ? { value } : { problem: `JSON of more than ${MAX_DEPTH} levels` };
	} catch {
		if (!/^[[{]/.test(text)) return { value: text };
		return { problem: `invalid JSON of ${text.length} characters` };
	}
}

/** Removes keys that would reach an object's prototype when copied. @returns false where it is nested too deep */
function sanitize(value: unknown, depth: number): boolean {
	if (!isObject(value)) return true;
	if (depth > MAX_DEPTH) return false;
	if (Array.isArray(value)) return value.every((entry) => sanitize(entry, depth + 1));
	if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
	// Not Object.values: a list of 100,000 records would take twice the time.
	return Object.keys(value).every((key) => sanitize(value[key], depth + 1));
}

function describeHtml(html: string): string {
	const titles = html.slice(0, 20_000).matchAll(/<(?:title|h[1-3])[^<>]{0,200}>([^<]{1,200})/gi);
	const title = Array.from(titles, ([, text]) => text.replace(/\s+/g, ' ').trim()).find(Boolean);
	return title === undefined ? 'an HTML page' : `an HTML page "${title}"`;
}

/** The service's own words in a response, with what is wrong with each field, if it has any. */
export function findServiceMessage(value: unknown, levels = MAX_LEVELS): string | undefined {
	if (typeof value === 'string') return value.trim() || undefined;
	if (!isObject(value) || levels === 0) return undefined;
	const find = (held: unknown) => findServiceMessage(held, levels - 1);
	if (Array.isArray(value)) return join(value.slice(0, MAX_QUOTED).map(find));
	const message = MESSAGES.map((name) => find(value[name])).find(Boolean);
	if (message === undefined) {
		const fields = Object.entries(value).map(([name, held]) => {
			const words = isObject(held) ? find(held) : String(held ?? '');
			return words && `${name}: ${words}`;
		});
		return join(fields);
	}
	const details = join([value.fields, value.errors].map(find)) ?? '';
	const isSaid = details.split(/: |; /).every((part) => message.includes(part));
	const said = isSaid ? message : `${message.replace(/[.:]$/, '')}: ${details}`;
	const { code, loc, pointer = isRecord(value.source) ? value.source.pointer : undefined } = value;
	const isCoded = typeof code === 'string' && code !== '' && !message.includes(code);
	const text = isCoded ? `${said.replace(/\.$/, '')} (${code})` : said;
	// Which field it is about: the path of FastAPI, or the pointer of JSON:API and RFC 9457.
	const place = Array.isArray(loc) ? loc.join('.') : pointer;
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

function join(parts: Array<string | undefined>): string | undefined {
	return parts.filter(Boolean).slice(0, MAX_QUOTED).join('; ') || undefined;
}

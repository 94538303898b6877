import { getJsonErrorOffset } from './jsonError';
import { isObject } from './shapes';

export type Body =
	| { kind: 'json'; value: unknown }
	| { kind: 'text'; text: string; value?: undefined }
	| { kind: 'html'; title?: string; value?: undefined }
	| { kind: 'invalidJson'; reason: string; value?: undefined }
	| { kind: 'empty'; value?: undefined };

/** Deeper than any record of the service; n8n processes items recursively and would overflow its stack. */
const MAX_DEPTH = 100;
/** Longer than the name of any field, which n8n would save, show and log. */
const MAX_KEY_LENGTH = 1000;

const LARGE_NUMBER = /\d{16}/;
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[-\d][-+.\de]*/gi;
const ID_KEY = /^(uu)?id$|_id$/i;
const HTML_START = /^<(!doctype|html|head|body|\?xml)/i;
/** Some text labelled as HTML is only text, such as "OK": a page has a tag. */
const HTML_TAG = /<[a-z!][^<>]{0,200}>/i;
const MAX_SEARCHED_FOR_TITLE = 20_000;

/** Parses a body by its content; the Content-Type header only marks a page that starts without its first tags. */
export function parseBody(text: string, contentType = ''): Body {
	const trimmed = text.trim();
	if (trimmed === '') return { kind: 'empty' };
	try {
		const value = parseJson(trimmed);
		const reason = sanitize(value);
		return reason === undefined ? { kind: 'json', value } : { kind: 'invalidJson', reason };
	} catch (error) {
		if (/^[[{]/.test(trimmed)) {
			return { kind: 'invalidJson', reason: describeJsonError(error, trimmed) };
		}
	}
	const isLabelled = /\b(text\/html|application\/xhtml)/i.test(contentType);
	if (HTML_START.test(trimmed) || (isLabelled && HTML_TAG.test(trimmed))) {
		return { kind: 'html', title: findTitle(trimmed) };
	}
	return { kind: 'text', text: trimmed };
}

/** Parses JSON. Whole numbers from 2^53, which JavaScript rounds, become text. */
function parseJson(text: string): unknown {
	const value = JSON.parse(text) as unknown;
	if (!LARGE_NUMBER.test(text)) return value;
	return JSON.parse(
		text.replace(JSON_TOKEN, (token) =>
			/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
		),
	) as unknown;
}

/** The title of an HTML page, or its first heading. */
function findTitle(html: string): string | undefined {
	const start = html.slice(0, MAX_SEARCHED_FOR_TITLE);
	const titles = [/<title[^<>]{0,200}>([^<]{1,200})/i, /<h[1-3][^<>]{0,200}>([^<]{1,200})/i].map(
		(pattern) => pattern.exec(start)?.[1].replace(/\s+/g, ' ').trim(),
	);
	return titles.find(Boolean);
}

function describeJsonError(error: unknown, text: string): string {
	const offset = getJsonErrorOffset(error, text);
	if (offset === undefined) return `it can't be parsed (${text.length} characters)`;
	return offset < text.length
		? `it can't be parsed at character ${offset + 1} of ${text.length}`
		: `it ends too early, after ${text.length} characters`;
}

/** Removes keys that would reach an object's prototype when copied; returns why a value can't be used. */
function sanitize(root: unknown): string | undefined {
	if (!isObject(root)) return undefined;
	let level: object[] = [root];
	for (let depth = 1; level.length > 0; depth += 1) {
		if (depth > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} levels deep`;
		const below: object[] = [];
		for (const node of level) {
			Reflect.deleteProperty(node, '__proto__');
			const record = node as Record<string, unknown>;
			// Not Object.entries: a list of 100,000 records would take twice the time.
			for (const key of Object.keys(record)) {
				if (key.length > MAX_KEY_LENGTH) {
					return `a field has a name of more than ${MAX_KEY_LENGTH} characters`;
				}
				const value = record[key];
				if (isObject(value)) below.push(value);
				else if (isRounded(value) && (ID_KEY.test(key) || !Number.isFinite(value))) {
					return `"${key}" is the number ${String(value)}, which is too large to be exact`;
				}
			}
		}
		level = below;
	}
	return undefined;
}

/** Such as 1e30: nobody can tell what the service calls the record. n8n saves 1e400 as null. */
function isRounded(value: unknown): boolean {
	return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

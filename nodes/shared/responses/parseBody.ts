import { findJsonErrorOffset } from './jsonPlace';

/** What a body turned out to be. `page` is a web page, `broken` is JSON that does not parse. */
export type Body =
	| { kind: 'json'; value: unknown }
	| { kind: 'text'; text: string }
	| { kind: 'page'; text: string }
	| { kind: 'broken'; text: string; reason: string }
	| { kind: 'empty' };

/** Deeper than any record of the service; n8n itself handles items recursively and would overflow its stack. */
const MAX_DEPTH = 100;

/** Beyond this many characters the place of a defect is not looked for. */
const MAX_SEARCHED_LENGTH = 5_000_000;

/**
 * Tells what a body is, by what it holds rather than by what it is labelled as.
 *
 * @param text the body as received
 * @param contentType the Content-Type header, which only decides between a web page and plain text
 * @returns the parsed JSON, cleaned of what could harm n8n, or what else it is
 */
export function parseBody(text: string, contentType = ''): Body {
	const trimmed = text.trim();
	if (trimmed === '') return { kind: 'empty' };
	if (/^[[{"\d-]|^(true|false|null)$/.test(trimmed)) {
		const value = tryParse(trimmed);
		if (value !== undefined) {
			return stripUnsafeKeys(value)
				? { kind: 'json', value }
				: { kind: 'broken', text: '', reason: `it is nested more than ${MAX_DEPTH} levels deep` };
		}
		if (/^[[{]/.test(trimmed)) {
			return { kind: 'broken', text: trimmed, reason: describeJsonError(trimmed) };
		}
	}
	if (/^<(!doctype|html|head|body|\?xml)/i.test(trimmed) || /\btext\/html\b/i.test(contentType)) {
		return { kind: 'page', text: trimmed };
	}
	return { kind: 'text', text: trimmed };
}

function tryParse(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** Says where JSON stops being JSON, without quoting it: it may hold a secret. */
function describeJsonError(text: string): string {
	if (text.length > MAX_SEARCHED_LENGTH) return `it can't be parsed (${text.length} characters)`;
	const offset = findJsonErrorOffset(text);
	return offset < text.length
		? `it can't be parsed at character ${offset + 1} of ${text.length}`
		: `it ends too early, after ${text.length} characters`;
}

/** Removes keys that would reach an object's prototype when copied; false when nested too deep. */
function stripUnsafeKeys(root: unknown): boolean {
	let level: object[] = isObject(root) ? [root] : [];
	for (let depth = 1; level.length > 0; depth += 1) {
		if (depth > MAX_DEPTH) return false;
		const below: object[] = [];
		for (const node of level) {
			if (Object.prototype.hasOwnProperty.call(node, '__proto__')) {
				Reflect.deleteProperty(node, '__proto__');
			}
			for (const value of Object.values(node)) if (isObject(value)) below.push(value);
		}
		level = below;
	}
	return true;
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

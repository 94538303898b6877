import { getJsonErrorOffset } from './jsonError';
import { isObject } from './shapes';

export type Body =
	| { kind: 'json'; value: unknown }
	| { kind: 'text'; text: string }
	| { kind: 'html'; text: string }
	| { kind: 'invalidJson'; text: string; reason: string }
	| { kind: 'empty' };

/** Deeper than any record of the service; n8n processes items recursively and would overflow its stack. */
const MAX_DEPTH = 100;

/** Parses a body by its content; the Content-Type header only distinguishes an HTML page from text. */
export function parseBody(text: string, contentType = ''): Body {
	const trimmed = text.trim();
	if (trimmed === '') return { kind: 'empty' };
	if (/^[[{"\d-]|^(true|false|null)$/.test(trimmed)) {
		try {
			const value = JSON.parse(trimmed) as unknown;
			if (stripUnsafeKeys(value)) return { kind: 'json', value };
			const reason = `it is nested more than ${MAX_DEPTH} levels deep`;
			return { kind: 'invalidJson', text: '', reason };
		} catch (error) {
			if (/^[[{]/.test(trimmed)) {
				return { kind: 'invalidJson', text: trimmed, reason: describeJsonError(error, trimmed) };
			}
		}
	}
	if (/^<(!doctype|html|head|body|\?xml)/i.test(trimmed) || /\btext\/html\b/i.test(contentType)) {
		return { kind: 'html', text: trimmed };
	}
	return { kind: 'text', text: trimmed };
}

function describeJsonError(error: unknown, text: string): string {
	const offset = getJsonErrorOffset(error, text);
	if (offset === undefined) return `it can't be parsed (${text.length} characters)`;
	return offset < text.length
		? `it can't be parsed at character ${offset + 1} of ${text.length}`
		: `it ends too early, after ${text.length} characters`;
}

/** Removes keys that would set an object's prototype when copied; false when nested too deep. */
function stripUnsafeKeys(root: unknown): boolean {
	let level: object[] = isObject(root) ? [root] : [];
	for (let depth = 1; level.length > 0; depth += 1) {
		if (depth > MAX_DEPTH) return false;
		const below: object[] = [];
		for (const node of level) {
			if (Object.hasOwn(node, '__proto__')) Reflect.deleteProperty(node, '__proto__');
			for (const value of Object.values(node)) if (isObject(value)) below.push(value);
		}
		level = below;
	}
	return true;
}

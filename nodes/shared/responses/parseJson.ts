import { isObject } from './shapes';

/** Deeper than any record of the service; n8n processes items recursively and would overflow its stack. */
const MAX_DEPTH = 100;

interface Problem {
	problem: string;
}

/** Parses JSON. @returns the value, or why it can't be used, in words that follow a colon */
export function parseJson(text: string): { value: unknown; problem?: undefined } | Problem {
	try {
		const value: unknown = JSON.parse(text);
		if (sanitize(value, 1)) return { value };
		return { problem: `it is nested more than ${MAX_DEPTH} levels deep` };
	} catch (error) {
		const isCut = getJsonErrorOffset(error, text) === text.length;
		const end = `it ends too early, after ${text.length} characters`;
		return { problem: isCut ? end : "it can't be parsed" };
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

/**
 * Finds where a text stops being JSON, at its end when it ends too early. Only the position is used from the error of
 * JSON.parse, if it has one: its message may quote a secret.
 */
export function getJsonErrorOffset(error: unknown, text: string): number | undefined {
	const message = String(error);
	if (/^SyntaxError: (Unexpected end|Unterminated)/.test(message)) return text.length;
	const position = / JSON at position (\d+)/.exec(message)?.[1];
	return position === undefined ? undefined : Number(position);
}

import { isObject } from './shapes';

/** Deeper than any record of the service; n8n processes items recursively and would overflow its stack. */
const MAX_DEPTH = 100;

/** Also where it is a part of text: only then it is worth the time to look at each token. */
const LARGE_NUMBER = /(?<![^[:,\s])-?\d{16,}(?![^\],}\s])/;
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[-\d][-+.\de]*/gi;

/** Why JSON can't be used, in words that follow a colon. */
export class UnusableJson extends Error {}

/** Parses JSON. Whole numbers from 2^53, which JavaScript rounds, become text. @throws UnusableJson */
export function parseJson(text: string): unknown {
	let value: unknown;
	try {
		value = JSON.parse(text);
		if (LARGE_NUMBER.test(text)) value = JSON.parse(text.replace(JSON_TOKEN, quoteLargeNumber));
	} catch (error) {
		const isCut = getJsonErrorOffset(error, text) === text.length;
		const problem = isCut
			? `it ends too early, after ${text.length} characters`
			: "it can't be parsed";
		throw new UnusableJson(problem);
	}
	sanitize(value, 1);
	return value;
}

function quoteLargeNumber(token: string): string {
	const isRounding = /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
	return isRounding ? `"${token}"` : token;
}

/** Removes keys that would reach an object's prototype when copied. @throws UnusableJson for JSON that is nested too deep */
function sanitize(value: unknown, depth: number): void {
	if (!isObject(value)) return;
	if (depth > MAX_DEPTH) {
		throw new UnusableJson(`it is nested more than ${MAX_DEPTH} levels deep`);
	}
	if (Array.isArray(value)) {
		for (const entry of value) sanitize(entry, depth + 1);
		return;
	}
	if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
	// Not Object.values: a list of 100,000 records would take twice the time.
	for (const key of Object.keys(value)) sanitize(value[key], depth + 1);
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

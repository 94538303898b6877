import { invalid } from '../service/errors.cts';

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns the value of a JSON text; @throws ServiceError 400 saying what it was to be */
export function parseJson(text: string, what: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw invalid(`${what} is not JSON: ${(error as Error).message}`);
	}
}

export function requireObject(value: unknown, what: string): JsonObject {
	if (!isObject(value)) throw invalid(`${what} must be an object`);
	return value;
}

export function requireKeys(object: JsonObject, known: readonly string[], what: string): void {
	const unknown = Object.keys(object).filter((key) => !known.includes(key));
	if (unknown.length > 0) throw invalid(`${what} has unknown keys: ${unknown.join(', ')}`);
}

export function requireBoolean(value: unknown, what: string): void {
	if (typeof value !== 'boolean') throw invalid(`${what} must be true or false`);
}

export function requireText(value: unknown, what: string): string {
	if (typeof value !== 'string' || value.trim() === '') throw invalid(`${what} must be a text`);
	return value;
}

export function requireTexts(value: unknown, what: string): string[] {
	if (!Array.isArray(value)) throw invalid(`${what} must be a list of texts`);
	return value.map((entry, index) => requireText(entry, `${what}[${index}]`));
}

/** Wildcards are addresses too: `*@example.com` (field-facts.md). */
export function requireRecipients(value: unknown, what: string): void {
	for (const [index, address] of requireTexts(value, what).entries()) {
		if (!/^\S+@\S+$/.test(address)) throw invalid(`${what}[${index}] is not an e-mail address`);
	}
}

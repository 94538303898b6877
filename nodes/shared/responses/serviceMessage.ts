import type { IDataObject } from 'n8n-workflow';

import type { Body } from './parseBody';
import { isRecord } from './shapes';

const MESSAGE_KEYS = [
	'message',
	'error_description',
	'detail',
	'description',
	'title',
	'reason',
	'msg',
];
const HOLDER_KEYS = ['error', 'errors', 'fault', 'data', 'details'];
const CODE_KEYS = ['code', 'error_code', 'errorCode'];
const MAX_LENGTH = 500;
const MAX_QUOTED = 5;

/**
 * Finds the service's own words in an error body of any shape (service-api.md leaves it open).
 *
 * @param body the body of an answer with an error status
 * @param clean takes secrets out, before anything is cut off: half a secret could not be recognised any more
 * @returns one line of at most 500 characters, or undefined when the body says nothing to a person
 */
export function findServiceMessage(
	body: Body,
	clean: (text: string) => string = (text) => text,
): string | undefined {
	if (body.kind === 'text') return shorten(clean(body.text));
	if (body.kind !== 'json') return undefined;
	const words = findMessage(body.value, 4);
	const code = isRecord(body.value)
		? CODE_KEYS.map((key) => (body.value as Record<string, unknown>)[key]).find(isShort)
		: undefined;
	if (words === undefined) return code === undefined ? undefined : shorten(clean(String(code)));
	return shorten(
		clean(
			code === undefined || words.includes(String(code)) ? words : `${words} (${String(code)})`,
		),
	);
}

function findMessage(value: unknown, levels: number, isHeld = false): string | undefined {
	if (levels === 0) return undefined;
	if (typeof value === 'string') return value.trim() || undefined;
	if (Array.isArray(value)) {
		return join(value.slice(0, MAX_QUOTED).map((entry) => findMessage(entry, levels - 1, isHeld)));
	}
	if (!isRecord(value)) return undefined;
	for (const key of [...MESSAGE_KEYS, ...HOLDER_KEYS]) {
		const words = findMessage(value[key], levels - 1, key !== 'data' && HOLDER_KEYS.includes(key));
		if (words !== undefined) return words;
	}
	return isHeld ? findMessagesByField(value, levels) : undefined;
}

/** Validators put their words under the name of each field: `{ "errors": { "name": ["is missing"] } }`. */
function findMessagesByField(value: IDataObject, levels: number): string | undefined {
	const fields = Object.entries(value).slice(0, MAX_QUOTED);
	return join(
		fields.map(([field, held]) => {
			const words = findMessage(held, levels - 1);
			return words === undefined ? undefined : `${field}: ${words}`;
		}),
	);
}

function join(parts: Array<string | undefined>): string | undefined {
	return parts.filter(Boolean).join('; ') || undefined;
}

function isShort(value: unknown): value is string | number {
	return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function shorten(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}

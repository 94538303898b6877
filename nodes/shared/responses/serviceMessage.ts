import type { IDataObject } from 'n8n-workflow';

import type { Body } from './parseBody';
import { isRecord } from './shapes';

const MESSAGE_KEYS = 'message error_description detail description title reason msg'.split(' ');
const HOLDER_KEYS = ['error', 'errors', 'fault', 'data', 'details'];
const CODE_KEYS = ['code', 'error_code', 'errorCode'];
const MAX_LENGTH = 500;
const MAX_QUOTED = 5;

/**
 * Finds the service's message in an error body, whose shape is open (docs/openapi.yaml, Error).
 *
 * @param redact runs before the text is shortened: half a secret can't be recognized
 * @returns one line of at most 500 characters, or undefined when the body has no message
 */
export function findServiceMessage(
	body: Body,
	redact: (text: string) => string = (text) => text,
): string | undefined {
	if (body.kind === 'text') return shorten(redact(body.text));
	if (body.kind !== 'json') return undefined;
	const message = findMessage(body.value, 4);
	const code = findCode(body.value);
	const isCodeNew = message !== undefined && code !== undefined && !message.includes(code);
	const text = isCodeNew ? `${message} (${code})` : (message ?? code);
	return text === undefined ? undefined : shorten(redact(text));
}

function findCode(value: unknown): string | undefined {
	if (!isRecord(value)) return undefined;
	const code = CODE_KEYS.map((key) => value[key]).find(isShort);
	return code === undefined ? undefined : String(code);
}

function findMessage(value: unknown, levels: number, isHeld = false): string | undefined {
	if (levels === 0) return undefined;
	if (typeof value === 'string') return value.trim() || undefined;
	if (Array.isArray(value)) {
		return join(value.slice(0, MAX_QUOTED).map((entry) => findMessage(entry, levels - 1, isHeld)));
	}
	if (!isRecord(value)) return undefined;
	for (const key of [...MESSAGE_KEYS, ...HOLDER_KEYS]) {
		const message = findMessage(
			value[key],
			levels - 1,
			key !== 'data' && HOLDER_KEYS.includes(key),
		);
		if (message !== undefined) return message;
	}
	return isHeld ? findMessagesByField(value, levels) : undefined;
}

/** Validators return messages by field: `{ "errors": { "name": ["is missing"] } }`. */
function findMessagesByField(value: IDataObject, levels: number): string | undefined {
	const fields = Object.entries(value).slice(0, MAX_QUOTED);
	return join(
		fields.map(([field, held]) => {
			const message = findMessage(held, levels - 1);
			return message === undefined ? undefined : `${field}: ${message}`;
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

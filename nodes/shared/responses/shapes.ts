import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

/** Also for a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}

export function isRecord(value: unknown): value is IDataObject {
	return isObject(value) && !Array.isArray(value);
}

/** Neither missing nor empty: not null, false, 0, '', [] or {}. */
export function isFilled(value: unknown): boolean {
	return isObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** Equal for values that say the same: in any order, with doubles and what is empty. `fold` makes texts equal that do. */
export function toCanonicalText(value: unknown, fold = (text: string) => text): string {
	if (value === undefined || value === null || value === '') return '';
	if (typeof value === 'string') return JSON.stringify(fold(value));
	if (typeof value !== 'object') return JSON.stringify(value);
	const isList = Array.isArray(value);
	const texts = Object.entries(value).map(([key, held]) => {
		const text = toCanonicalText(held, fold);
		return isList || text === '' ? text : `${JSON.stringify(key)}:${text}`;
	});
	const text = [...new Set(texts.filter(Boolean))].sort().join();
	if (text === '') return '';
	return isList ? `[${text}]` : `{${text}}`;
}

/** 72 bits of a text, as Base64. */
export function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64').slice(0, 12);
}

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

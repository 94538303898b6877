import type { IDataObject } from 'n8n-workflow';

const LIST_KEYS = ['containers', 'contacts', 'data', 'items', 'results'];

/** Whether a value is an object or a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}

/** Whether a JSON value is an object, not a list. */
export function isRecord(value: unknown): value is IDataObject {
	return isObject(value) && !Array.isArray(value);
}

/** Finds the entries in the response of a list endpoint, whose shape is open (docs/openapi.yaml, ListObject). */
export function findList(value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) return value as unknown[];
	// Some languages write null for an empty list.
	if (value === null) return [];
	if (!isRecord(value)) return undefined;
	const held = LIST_KEYS.filter((key) => Object.hasOwn(value, key)).map((key) => value[key]);
	const direct = held.find((entry): entry is IDataObject[] => Array.isArray(entry));
	if (direct !== undefined) return direct;
	for (const entry of held) {
		const nested = isRecord(entry) ? findList(entry) : undefined;
		if (nested !== undefined) return nested;
	}
	return held.includes(null) && !reportsError(value) ? [] : undefined;
}

/** Some services report a failure as a success without data. */
function reportsError(value: IDataObject): boolean {
	return ['error', 'errors'].some((key) => value[key] !== undefined && value[key] !== null);
}

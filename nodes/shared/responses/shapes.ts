import type { IDataObject } from 'n8n-workflow';

/** Keys under which services return a list. */
const LIST_KEYS = ['containers', 'contacts', 'data', 'items', 'results'];

/** Whether a JSON value is an object, neither list nor null. */
export function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Finds the list in the response of a list endpoint, whose shape is open (docs/openapi.yaml, listContainers).
 *
 * @returns the entries of a list, or of one that an object holds, also one level down; none for null; undefined when
 *   there is no list
 */
export function findList(value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) return value as unknown[];
	// How some languages write a list without entries.
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

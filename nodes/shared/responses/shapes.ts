import type { IDataObject } from 'n8n-workflow';

/** Keys under which services return a list. */
const LIST_KEYS = [
	'containers',
	'contacts',
	'data',
	'items',
	'results',
	'content',
	'records',
	'value',
	'_embedded',
];

/** Keys by which a record is recognized. */
const RECORD_KEYS = ['uuid', 'id', 'container', 'contact', 'email'];

/** Whether a value is an object or a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}

/** Whether a JSON value is an object, not a list. */
export function isRecord(value: unknown): value is IDataObject {
	return isObject(value) && !Array.isArray(value);
}

/** A name as services in different languages share it: `created_at`, `createdAt` and `Created-At` are one. */
export function normalizeKey(name: string): string {
	return name.toLowerCase().replace(/[_\-\s]/g, '');
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
	return held.includes(null) && !reportsFailure(value) ? [] : undefined;
}

/**
 * Whether a body with a status of success still reports a failure, as some services do.
 *
 * @param isRecordExpected whether a record is expected, whose own fields may have such names: it counts as one if it has
 *   an identifier
 */
export function reportsFailure(value: unknown, isRecordExpected = false): boolean {
	if (!isRecord(value)) return isNo(value);
	const fields = normalizeKeys(value);
	if (isRecordExpected && RECORD_KEYS.some((key) => isFilled(fields[key]))) return false;
	return (
		isFilled(fields.error) ||
		isFilled(fields.errors) ||
		[fields.success, fields.issuccess, fields.succeeded, fields.ok].some(isNo) ||
		(!isRecordExpected && isNo(fields.deleted)) ||
		fields.status === false ||
		[fields.status, fields.result, fields.statuscode, fields.code].some(isFailureStatus)
	);
}

/** Whether a flag is set; PHP and databases write numbers and text. */
export function isYes(value: unknown): boolean {
	return [true, 1, 'true', '1'].some((yes) => yes === value);
}

function isNo(value: unknown): boolean {
	return [false, 0, 'false', '0'].some((no) => no === value);
}

/** A copy whose keys are normalized. */
export function normalizeKeys(record: IDataObject): IDataObject {
	const fields = Object.entries(record).map(([key, value]) => [normalizeKey(key), value]);
	return Object.fromEntries(fields) as IDataObject;
}

/** Such as `{"status":"error"}`, or the status of HTTP in the body. */
function isFailureStatus(value: unknown): boolean {
	return typeof value === 'string'
		? /^(error|fail|failed|failure|[45]\d\d)$/i.test(value)
		: typeof value === 'number' && value >= 400 && value < 600;
}

/** Neither missing nor empty: not null, false, 0, '', [] or {}. */
function isFilled(value: unknown): boolean {
	return typeof value === 'object' && value !== null
		? Object.keys(value).length > 0
		: Boolean(value);
}

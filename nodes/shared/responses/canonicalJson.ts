/** Writes a JSON value so that equal values are equal texts, whatever the order of keys; undefined and null as nothing. */
export function canonicalJson(value: unknown): string {
	return value === undefined || value === null ? '' : writeJson(value);
}

/** Whether two JSON values are equal; the order of keys makes no difference. */
export function isSameJson(one: unknown, other: unknown): boolean {
	return writeJson(one) === writeJson(other);
}

function writeJson(value: unknown): string {
	if (typeof value !== 'object' || value === null) return String(JSON.stringify(value));
	if (Array.isArray(value)) return `[${value.map(writeJson).join()}]`;
	const fields = Object.entries(value).map(
		([key, entry]) => `${JSON.stringify(key)}:${writeJson(entry)}`,
	);
	return `{${fields.sort().join()}}`;
}

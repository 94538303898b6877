/**
 * Writes a JSON value so that equal values are equal texts, whatever the order of keys; undefined and null as nothing.
 *
 * @param listsAreSets whether the order of lists makes no difference either
 */
export function canonicalJson(
	value: unknown,
	{ listsAreSets = false }: { listsAreSets?: boolean } = {},
): string {
	return value === undefined || value === null ? '' : writeJson(value, listsAreSets);
}

/** Whether two JSON values are equal; the order of keys makes no difference. */
export function isSameJson(one: unknown, other: unknown): boolean {
	return writeJson(one, false) === writeJson(other, false);
}

function writeJson(value: unknown, listsAreSets: boolean): string {
	if (typeof value !== 'object' || value === null) return String(JSON.stringify(value));
	if (Array.isArray(value)) {
		const entries = value.map((entry) => writeJson(entry, listsAreSets));
		return `[${(listsAreSets ? entries.sort() : entries).join()}]`;
	}
	const fields = Object.entries(value).map(
		([key, entry]) => `${JSON.stringify(key)}:${writeJson(entry, listsAreSets)}`,
	);
	return `{${fields.sort().join()}}`;
}

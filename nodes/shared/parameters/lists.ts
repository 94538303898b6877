import { UserError } from 'n8n-workflow';

/**
 * Parses text with entries separated by commas, semicolons or line ends, or an array.
 *
 * @returns each entry once, without spaces around it
 * @throws UserError when an entry is not text
 */
export function parseList(value: unknown, label: string): string[] {
	if (value === undefined || value === null) return [];
	const parts: unknown[] = Array.isArray(value) ? value : [value];
	const entries = parts.flatMap((part) => {
		if (typeof part !== 'string') {
			throw new UserError(`"${label}" contains an entry that is not text`, {
				description: `Enter text separated by commas in "${label}", or use an expression that returns a list of strings.`,
			});
		}
		return part.split(/[,;\r\n]+/);
	});
	return [...new Set(entries.map((entry) => entry.trim()).filter((entry) => entry !== ''))];
}

/**
 * Parses a list of email addresses, wildcards such as `*@example.com` included.
 *
 * @throws UserError for the first entry that is not an address
 */
export function parseAddresses(value: unknown, label: string): string[] {
	const entries = parseList(value, label);
	for (const entry of entries) assertAddress(entry, label);
	return entries;
}

/** @throws UserError when the entry has no text on both sides of one @, or contains spaces or brackets */
export function assertAddress(entry: string, label: string): void {
	if (/^[^\s@<>]+@[^\s@<>]+$/.test(entry)) return;
	throw new UserError(`"${entry.slice(0, 100)}" in "${label}" is not an email address`, {
		description: entry.includes('@')
			? `Enter only the address in "${label}", without a name, spaces or brackets, for example anna@example.com.`
			: `It has no @. Enter an address such as anna@example.com in "${label}".`,
	});
}

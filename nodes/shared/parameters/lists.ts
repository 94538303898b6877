import { UserError } from 'n8n-workflow';

/**
 * Reads a list that may be typed or come from an expression.
 *
 * @param value text with entries parted by commas, semicolons or line ends, or an array
 * @param label display name of the field, for the message
 * @returns the entries without blanks around them, each once, in their order
 * @throws UserError when an entry is no text
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
 * Reads a list of e-mail addresses; wildcards such as `*@example.com` are addresses too.
 *
 * @param value as in readList
 * @param label display name of the field, for the message
 * @returns the addresses
 * @throws UserError naming the first entry that is no address
 */
export function parseAddresses(value: unknown, label: string): string[] {
	const entries = parseList(value, label);
	for (const entry of entries) assertAddress(entry, label);
	return entries;
}

/**
 * Checks one e-mail address as far as can be known here: something on both sides of an @, and no blanks.
 *
 * @param entry the address
 * @param label display name of the field, for the message
 * @throws UserError when it is none
 */
export function assertAddress(entry: string, label: string): void {
	if (/^[^\s@<>]+@[^\s@<>]+$/.test(entry)) return;
	throw new UserError(`"${entry.slice(0, 100)}" in "${label}" is not an email address`, {
		description: entry.includes('@')
			? `Enter only the address in "${label}", without a name, spaces or brackets, for example anna@example.com.`
			: `It has no @. Enter an address such as anna@example.com in "${label}".`,
	});
}

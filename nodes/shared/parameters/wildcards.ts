/**
 * Whether a text matches a pattern completely. Takes time in proportion to the text, whatever the pattern.
 *
 * @param pattern text in which `*` stands for any characters
 */
export function matchesWildcards(text: string, pattern: string): boolean {
	const [first, ...others] = pattern.split('*');
	const last = others.pop();
	if (last === undefined) return text === pattern;
	if (!text.startsWith(first)) return false;
	let from = first.length;
	for (const part of others) {
		const found = text.indexOf(part, from);
		if (found === -1) return false;
		from = found + part.length;
	}
	return text.length - last.length >= from && text.endsWith(last);
}

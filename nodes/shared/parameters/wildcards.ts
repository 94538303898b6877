/** Of a longer name only so many characters count. */
const MAX_NAME = 10_000;

/**
 * Whether a name contains a text, in capitals or not: anywhere, also where the text has wildcards. `*` stands for any
 * characters, `?` for one. Takes time in proportion to the name, whatever the text: no piece is tried twice from one place.
 */
export function matchesName(name: string | undefined, part: string): boolean {
	const text = fold((name ?? '').slice(0, MAX_NAME));
	let from = 0;
	return fold(part.trim())
		.split('*')
		.every((piece) => {
			const pattern = piece.replace(/[$()+.[\\\]^{|}]/g, '\\$&').replaceAll('?', '.');
			const search = new RegExp(pattern, 'gsu');
			search.lastIndex = from;
			const isFound = search.test(text);
			from = search.lastIndex;
			return isFound;
		});
}

function fold(text: string): string {
	return text.toLowerCase().normalize('NFC');
}

/** Whether a text matches a pattern, in which `*` stands for any characters, completely. As fast as matchesName. */
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

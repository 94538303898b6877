/** Words that are often written together in names of one case, such as `x-totalpages`. */
const PARTS =
	'has is next more last first prev previous current page total count number cursor token continuation offset remaining truncated range per size limit rate item result record row url link';
const WRITTEN_TOGETHER = new RegExp(`^(?:(?:${PARTS.replaceAll(' ', '|')})s?)+$`);
const PART = new RegExp(`(?:${PARTS.replaceAll(' ', '|')})`, 'g');

/** Longer names are no words. */
const MAX_LENGTH = 200;

/** Splits a name into its words, in lower case and singular: `hasNextPage`, `x-next-pages` and `NEXT_PAGE`. */
export function toWords(name: string): string[] {
	return name
		.slice(0, MAX_LENGTH)
		.replace(/([a-z\d])([A-Z])/g, '$1 $2')
		.replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
		.toLowerCase()
		.split(/[^a-z]+/)
		.flatMap((word) => (WRITTEN_TOGETHER.test(word) ? (word.match(PART) ?? []) : [word]))
		.filter(Boolean)
		.map((word) => (word.length > 3 ? word.replace(/(?<![su])s$/, '') : word));
}

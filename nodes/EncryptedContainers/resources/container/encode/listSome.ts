const MAX_LISTED = 10;

/** The first entries of a list, for a message: `1, 2 and 3 more`. */
export function listSome(entries: Array<string | number>): string {
	const listed = entries.slice(0, MAX_LISTED).join(', ');
	const more = entries.length - MAX_LISTED;
	return more > 0 ? `${listed} and ${more} more` : listed;
}

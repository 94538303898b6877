/**
 * Whether a name passes a filter as people type it. Takes time in proportion to the name, whatever the filter.
 *
 * @param name the name; missing for a container without one
 * @param filter text that the name contains, or, with `*` for any characters, that it is like as a whole; empty for all
 */
export function matchesNameFilter(name: string | undefined, filter: string): boolean {
	const [first, ...others] = filter.toLowerCase().split('*');
	const text = (name ?? '').toLowerCase();
	const last = others.pop();
	if (last === undefined) return text.includes(first);
	if (!text.startsWith(first)) return false;
	let from = first.length;
	for (const part of others) {
		const found = text.indexOf(part, from);
		if (found === -1) return false;
		from = found + part.length;
	}
	return text.length - last.length >= from && text.endsWith(last);
}

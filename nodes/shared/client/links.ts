/**
 * Finds the address of the next page in a Link header (RFC 8288).
 *
 * @param header the header's value; several Link headers are joined by commas
 * @param current the absolute address of the present page, to which a relative one is resolved
 * @returns the absolute address, or undefined when there is no next page
 */
export function parseNextLink(
	header: string | string[] | undefined,
	current: string,
): string | undefined {
	const text = Array.isArray(header) ? header.join(', ') : (header ?? '');
	for (const [, target, parameters] of text.matchAll(
		/<([^<>]*)>((?:\s*;\s*[^\s=;,]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,]+))?)*)/g,
	)) {
		if (isNext(parameters) && URL.canParse(target, current)) return new URL(target, current).href;
	}
	return undefined;
}

function isNext(parameters: string): boolean {
	const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))/i.exec(parameters);
	const relations = (relation?.[1] ?? relation?.[2] ?? '').toLowerCase().split(/\s+/);
	return relations.includes('next');
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Templates put double quotes around attributes: others aren't safe. */
export function escapeHtml(value: unknown): string {
	if (value === undefined || value === false) return '';
	// Characters that reverse text could make photo.exe look as if it ended in .jpg.
	const text = String(value).replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
	return text.replace(/[&<>"]/g, (character) => ESCAPES[character]);
}

/** A part of a sentence that comes from people, or that can be clicked: as HTML, and in a plain text. */
export class Markup {
	constructor(
		readonly html: string,
		readonly text: string,
	) {}
}

/** A name or an address, whose direction is not that of the sentence. */
export const isolate = (text: string) => new Markup(`<bdi>${escapeHtml(text)}</bdi>`, text);

export const toBold = (text: string) => new Markup(`<b>${escapeHtml(text)}</b>`, text);

/** What is read from left to right in each language, such as the name of a host. */
export const emphasize = (text: string) => new Markup(`<b dir="ltr">${escapeHtml(text)}</b>`, text);

export const linkTo = (url: string, text: string) =>
	new Markup(`<a href="${escapeHtml(url)}"><bdi>${escapeHtml(text)}</bdi></a>`, text);

export const linkAddress = (address: string) =>
	linkTo(`mailto:${encodeURIComponent(address)}`, address);

type Value = Html | string | number | false | undefined | Value[];

export class Html {
	constructor(readonly markup: string) {}
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A template whose values are escaped. Put double quotes around attributes: others aren't safe. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
	return new Html(String.raw({ raw: strings }, ...values.map(toMarkup)));
}

function toMarkup(value: Value): string {
	if (value instanceof Html) return value.markup;
	if (Array.isArray(value)) return value.map(toMarkup).join('');
	if (value === undefined || value === false) return '';
	// Characters that reverse text could make photo.exe look as if it ended in .jpg.
	const text = String(value).replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
	return text.replace(/[&<>"]/g, (character) => ESCAPES[character]);
}

/** A form of a page, with its fields by their labels. */
export interface Form {
	action: string;
	method: string;
	buttons: string[];
	/** Names of the fields, by label. */
	labels: Record<string, string>;
	/** What is sent without entering anything. */
	values: Record<string, string>;
}

export interface Page {
	html: string;
	/** What a person can read, with single spaces. */
	text: string;
	forms: Form[];
	links: Array<{ href: string; text: string }>;
	/** Addresses of images, frames and media. */
	sources: string[];
}

const ENTITIES: Record<string, string> = {
	amp: '&',
	lt: '<',
	gt: '>',
	quot: '"',
	apos: "'",
	nbsp: ' ',
};

function decode(text: string): string {
	return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
		if (hex) return String.fromCodePoint(parseInt(hex, 16));
		if (decimal) return String.fromCodePoint(Number(decimal));
		return ENTITIES[name] ?? whole;
	});
}

const toText = (html: string) =>
	decode(html.replace(/<(style|script|title)\b[^]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' '))
		.replace(/\s+/g, ' ')
		.replace(/ ([.,?!])/g, '$1')
		.trim();

interface Element {
	attributes: Record<string, string>;
	content: string;
}

/** The elements of one of these names, without regard to nesting of the same name. */
function elements(html: string, names: string): Element[] {
	const tag = new RegExp(`<(${names})\\b((?:[^>"']|"[^"]*"|'[^']*')*)>`, 'gi');
	return [...html.matchAll(tag)].map((match) => {
		const rest = html.slice(match.index + match[0].length);
		const end = rest.search(new RegExp(`</${match[1]}\\s*>`, 'i'));
		const pairs = match[2].matchAll(/([^\s=/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g);
		const attributes = [...pairs].map(([, name, ...values]) => [
			name.toLowerCase(),
			decode(values.find((value) => value !== undefined) ?? ''),
		]);
		return {
			attributes: Object.fromEntries(attributes),
			content: end < 0 ? '' : rest.slice(0, end),
		};
	});
}

/** Reads a page of the service. */
export function parsePage(html: string): Page {
	const forms = elements(html, 'form').map(({ attributes, content }) => {
		const inputs = elements(content, 'input|textarea|select').map((input) => input.attributes);
		const labels = elements(content, 'label').map((label) => {
			const inside = elements(label.content, 'input')[0]?.attributes;
			const labelled = inside ?? inputs.find(({ id }) => id === label.attributes.for);
			return [toText(label.content), labelled?.name];
		});
		return {
			action: attributes.action ?? '',
			method: (attributes.method ?? 'get').toUpperCase(),
			buttons: elements(content, 'button').map((button) => toText(button.content)),
			labels: Object.fromEntries(labels),
			values: Object.fromEntries(
				inputs.filter(({ name }) => name).map(({ name, value }) => [name, value ?? '']),
			),
		};
	});
	return {
		html,
		text: toText(html),
		forms,
		links: elements(html, 'a').map(({ attributes, content }) => ({
			href: attributes.href ?? '',
			text: toText(content),
		})),
		sources: elements(html, 'img|iframe|audio|video|source|embed|object')
			.map(({ attributes }) => attributes.src ?? attributes.data)
			.filter((source) => source !== undefined),
	};
}

/** A form of a page. */
interface Form {
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
	/** Addresses of links. */
	links: string[];
	/** Addresses of images, frames and media. */
	sources: string[];
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

const decode = (text: string) =>
	text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
		if (name) return NAMED[name] ?? whole;
		return String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal));
	});

const toText = (html: string) =>
	decode(html.replace(/<(style|script|title)\b[^]*?<\/\1>|<[^>]*>/gi, ' '))
		.replace(/\s+/g, ' ')
		.replace(/ ([.,?!])/g, '$1')
		.trim();

/** The elements of these names: their attributes, and what is inside. */
function findElements(html: string, names: string) {
	const tag = new RegExp(`<(${names})\\b((?:[^>"]|"[^"]*")*)>`, 'gi');
	return [...html.matchAll(tag)].map(({ 0: whole, 1: name, 2: list, index }) => {
		const rest = html.slice(index + whole.length);
		const pairs = [...list.matchAll(/([^\s="]+)(?:="([^"]*)")?/g)].map(([, key, value = '']) => [
			key.toLowerCase(),
			decode(value),
		]);
		const attributes = Object.fromEntries(pairs) as Record<string, string>;
		return {
			...attributes,
			inside: rest.slice(0, Math.max(0, rest.indexOf(`</${name}>`))),
		} as Record<string, string>;
	});
}

/** Reads a page of the service. */
export function parsePage(html: string): Page {
	const forms = findElements(html, 'form').map(({ action = '', method = 'get', inside }) => {
		const inputs = findElements(inside, 'input').filter(({ name }) => name);
		const labels = findElements(inside, 'label').map((label) => {
			const [within] = findElements(label.inside, 'input');
			return [toText(label.inside), (within ?? inputs.find(({ id }) => id === label.for))?.name];
		});
		return {
			action,
			method: method.toUpperCase(),
			buttons: findElements(inside, 'button').map((button) => toText(button.inside)),
			labels: Object.fromEntries(labels),
			values: Object.fromEntries(inputs.map(({ name, value = '' }) => [name, value])),
		};
	});
	const media = findElements(html, 'img|iframe|audio|video|source|embed|object');
	return {
		html,
		text: toText(html),
		forms,
		links: findElements(html, 'a').map(({ href }) => href),
		sources: media.map(({ src, data }) => src ?? data).filter(Boolean),
	};
}

/** What a body turned out to be. `page` is a web page, `broken` is JSON that does not parse. */
export type Body =
	| { kind: 'json'; value: unknown }
	| { kind: 'text'; text: string }
	| { kind: 'page'; text: string }
	| { kind: 'broken'; text: string; reason: string }
	| { kind: 'empty' };

/** Deeper than any record of the service; n8n itself handles items recursively and would overflow its stack. */
const DEEPEST = 100;

/**
 * Tells what a body is, by what it holds rather than by what it is labelled as.
 *
 * @param text the body as received
 * @param contentType the Content-Type header, which only decides between a web page and plain text
 * @returns the parsed JSON, cleaned of what could harm n8n, or what else it is
 */
export function parseBody(text: string, contentType = ''): Body {
	const trimmed = text.trim();
	if (trimmed === '') return { kind: 'empty' };
	if (/^[[{"\d-]|^(true|false|null)$/.test(trimmed)) {
		try {
			const value: unknown = JSON.parse(trimmed);
			return tame(value)
				? { kind: 'json', value }
				: { kind: 'broken', text: '', reason: `it is nested more than ${DEEPEST} levels deep` };
		} catch (error) {
			if (/^[[{]/.test(trimmed)) {
				return { kind: 'broken', text: trimmed, reason: placeOf(error, trimmed) };
			}
		}
	}
	if (/^<(!doctype|html|head|body|\?xml)/i.test(trimmed) || /\btext\/html\b/i.test(contentType)) {
		return { kind: 'page', text: trimmed };
	}
	return { kind: 'text', text: trimmed };
}

/** Says where JSON stops being JSON, without quoting it: it may hold a secret. */
function placeOf(error: unknown, text: string): string {
	const place = /position (\d+)/.exec(error instanceof Error ? error.message : '');
	return place !== null && Number(place[1]) < text.length
		? `it does not parse at character ${place[1]} of ${text.length}`
		: `it ends too early, after ${text.length} characters`;
}

/** Removes keys that would reach an object's prototype when copied; false when nested too deep. */
function tame(root: unknown): boolean {
	let level: object[] = isObject(root) ? [root] : [];
	for (let depth = 1; level.length > 0; depth += 1) {
		if (depth > DEEPEST) return false;
		const below: object[] = [];
		for (const node of level) {
			if (Object.prototype.hasOwnProperty.call(node, '__proto__')) {
				Reflect.deleteProperty(node, '__proto__');
			}
			for (const value of Object.values(node)) if (isObject(value)) below.push(value);
		}
		level = below;
	}
	return true;
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

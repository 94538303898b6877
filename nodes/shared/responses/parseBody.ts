import { parseInParts, parseJson, UnusableJson } from './parseJson';
import type { ReceivedBody } from './readBody';
import { MAX_TEXT_BYTES } from './readBody';

export type Body =
	| { kind: 'json'; value: unknown }
	| { kind: 'text'; text: string; value?: undefined }
	| { kind: 'html'; title?: string; value?: undefined }
	| { kind: 'invalidJson'; reason: string; value?: undefined }
	| { kind: 'empty'; value?: undefined };

const HTML_START = /^<(!doctype|html|head|body|\?xml)/i;
/** Some text labelled as HTML is only text, such as "OK": a page has a tag. */
const HTML_TAG = /<[a-z!][^<>]{0,200}>/i;
const MAX_SEARCHED_FOR_TITLE = 20_000;

/**
 * Parses a body by its content; the Content-Type header only marks a page that starts without its first tags.
 *
 * @param takeBreak is called between the parts of a large body
 */
export async function parseBody(
	{ bytes, outline }: ReceivedBody,
	contentType = '',
	takeBreak: () => Promise<void> = async () => await Promise.resolve(),
): Promise<Body> {
	try {
		if (outline.isJson) {
			return { kind: 'json', value: await parseInParts(bytes, outline, takeBreak) };
		}
	} catch (error) {
		return { kind: 'invalidJson', reason: (error as UnusableJson).message };
	}
	const text = outline.isJson === undefined ? '' : bytes.read(0, MAX_TEXT_BYTES).trim();
	if (text === '') return { kind: 'empty' };
	try {
		return { kind: 'json', value: parseJson(text) };
	} catch {
		const isLabelled = /\b(text\/html|application\/xhtml)/i.test(contentType);
		if (HTML_START.test(text) || (isLabelled && HTML_TAG.test(text))) {
			return { kind: 'html', title: findTitle(text) };
		}
		return { kind: 'text', text };
	}
}

/** The title of an HTML page, or its first heading. */
function findTitle(html: string): string | undefined {
	const start = html.slice(0, MAX_SEARCHED_FOR_TITLE);
	const titles = [/<title[^<>]{0,200}>([^<]{1,200})/i, /<h[1-3][^<>]{0,200}>([^<]{1,200})/i].map(
		(pattern) => pattern.exec(start)?.[1].replace(/\s+/g, ' ').trim(),
	);
	return titles.find(Boolean);
}

import { isObject } from './shapes';
import { parseJson } from './parseJson';

export type Body =
	| { kind: 'json'; value: unknown }
	| { kind: 'text'; text: string; value?: undefined }
	| { kind: 'html'; title?: string; value?: undefined }
	| { kind: 'invalidJson'; reason: string; value?: undefined }
	| { kind: 'tooLarge'; received: string; value?: undefined }
	| { kind: 'empty'; value?: undefined };

const MB = 1_000_000;

/** How long a body can be, decompressed, in bytes. */
export const MAX_BYTES = { page: 64 * MB, record: 8 * MB, error: MB };

/** Takes milliseconds to parse. */
const LARGE = 100_000;

const MAX_SEARCHED_FOR_TITLE = 20_000;

/**
 * Reads and parses a body in UTF-8 from its stream, decompressed. A longer stream is ended.
 *
 * @param stream versions of n8n that answer a request themselves return text or JSON
 * @param takeBreak lets n8n do something else meanwhile
 */
export async function readBody(
	stream: unknown,
	maxBytes: number,
	takeBreak: () => Promise<void>,
): Promise<Body> {
	const isStream = isObject(stream) && Symbol.asyncIterator in stream;
	const received = isStream ? (stream as unknown as AsyncIterable<Uint8Array>) : [toBytes(stream)];
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of received) {
		length += chunk.length;
		if (length > maxBytes) return { kind: 'tooLarge', received: `more than ${maxBytes / MB} MB` };
		chunks.push(chunk);
	}
	if (length > LARGE) await takeBreak();
	return parseBody(Buffer.concat(chunks).toString().trim());
}

function parseBody(text: string): Body {
	if (text === '') return { kind: 'empty' };
	const json = parseJson(text);
	if (json.problem === undefined) return { kind: 'json', value: json.value };
	if (/^[[{]/.test(text)) return { kind: 'invalidJson', reason: json.problem };
	return text.startsWith('<') ? { kind: 'html', title: findTitle(text) } : { kind: 'text', text };
}

function findTitle(html: string): string | undefined {
	const start = html.slice(0, MAX_SEARCHED_FOR_TITLE);
	const titles = start.matchAll(/<(?:title|h[1-3])[^<>]{0,200}>([^<]{1,200})/gi);
	return Array.from(titles, ([, text]) => text.replace(/\s+/g, ' ').trim()).find(Boolean);
}

function toBytes(body: unknown): Uint8Array {
	return Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
}

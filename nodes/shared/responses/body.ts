import { MAX_KEPT } from './memory';
import { isObject } from './shapes';
import { JsonReader, parseJson, TooLarge, UnusableJson } from './parseJson';

export type Body =
	| { kind: 'json'; value: unknown }
	| { kind: 'text'; text: string; value?: undefined }
	| { kind: 'html'; title?: string; value?: undefined }
	| { kind: 'invalidJson'; reason: string; value?: undefined }
	| { kind: 'tooLarge'; received: string; value?: undefined }
	| { kind: 'empty'; value?: undefined };

/** How long a body can be, decompressed, and how much memory its values can take: both in bytes. */
export type BodyLimits = Record<'bytes' | 'memory', number>;

export const PAGE_LIMITS: BodyLimits = { bytes: 64_000_000, memory: 150_000_000 };
export const RECORD_LIMITS: BodyLimits = { bytes: 8_000_000, memory: 40_000_000 };
export const ERROR_LIMITS: BodyLimits = { bytes: 1_000_000, memory: 40_000_000 };

const MB = 1_000_000;
/** Longer text is no message. */
const MAX_TEXT_BYTES = MB;
/** Smaller responses are read without waiting for others: bytes that their values take. */
const MAX_WITHOUT_TURN = 5 * MB;
/** How much is read before others get their turn. */
const SLICE = 64_000;

/** Blanks and the bytes of a byte order mark. */
const BLANKS = [9, 10, 11, 12, 13, 32, 0xef, 0xbb, 0xbf];
const JSON_STARTS = [...Buffer.from('[{')];

const MAX_SEARCHED_FOR_TITLE = 20_000;

interface ReadOptions {
	/** For the charset: text that goes back to the service has to be what came. */
	contentType?: string;
	/** How many bytes are left beside what is kept of other responses. */
	getFree?: () => number;
	/** Called once for a large body: to wait until others are read. */
	takeTurn?: () => Promise<void>;
	/** Called often, for n8n to do something else meanwhile. */
	takeBreak?: () => Promise<void>;
}

/**
 * Reads and parses a body from its stream, decompressed, up to its limits: a stream that exceeds them is ended.
 *
 * @param stream versions of n8n that answer a request themselves return text or JSON
 * @returns the body, and about how many bytes it takes
 */
export async function readBody(
	stream: unknown,
	limits: BodyLimits,
	{ contentType, getFree = () => MAX_KEPT, takeTurn, takeBreak }: ReadOptions = {},
): Promise<{ body: Body; memory: number }> {
	// To the end, also of what is parsed: by this memory, V8 notices in time what earlier responses left behind.
	const slices: Uint8Array[] = [];
	let json: JsonReader | undefined;
	let length = 0;
	try {
		for await (const slice of readSlices(stream, contentType)) {
			length += slice.length;
			if (length > limits.bytes) throw new TooLarge(`more than ${limits.bytes / MB} MB`);
			if (slices.length === 0) {
				const first = slice.find((byte) => !BLANKS.includes(byte));
				if (first === undefined) continue;
				if (JSON_STARTS.includes(first)) json = new JsonReader();
			}
			slices.push(slice);
			if (json === undefined) {
				if (length > MAX_TEXT_BYTES) break;
				continue;
			}
			if (json.memory > MAX_WITHOUT_TURN) {
				await takeTurn?.();
				takeTurn = undefined;
			}
			json.add(slice);
			const describe = (limit: number) => `values that take more than ${limit / MB} MB of memory`;
			if (json.memory > limits.memory) throw new TooLarge(describe(limits.memory));
			if (json.memory > getFree()) {
				throw new TooLarge(`${describe(MAX_KEPT)}, together with those before`);
			}
			if (slice.length === SLICE) await takeBreak?.();
		}
		if (json === undefined) return { body: parseText(slices), memory: 0 };
		return { body: { kind: 'json', value: json.end(length) }, memory: json.memory };
	} catch (error) {
		return { body: toUnusableBody(error), memory: 0 };
	}
}

function toUnusableBody(error: unknown): Body {
	if (error instanceof TooLarge) return { kind: 'tooLarge', received: error.message };
	if (error instanceof UnusableJson) return { kind: 'invalidJson', reason: error.message };
	throw error;
}

/** The bytes of a body in UTF-8: n8n's own decoding knows no other charset. */
async function* readSlices(stream: unknown, contentType = ''): AsyncGenerator<Uint8Array> {
	let decoder = createDecoder(contentType);
	const isStream = isObject(stream) && Symbol.asyncIterator in stream;
	const chunks = isStream ? (stream as unknown as AsyncIterable<Uint8Array>) : [toBytes(stream)];
	for await (const received of chunks) {
		if (decoder && isUtf8(received)) decoder = undefined;
		const chunk = decoder ? Buffer.from(decoder.decode(received, { stream: true })) : received;
		for (let start = 0; start < chunk.length; start += SLICE) {
			yield chunk.subarray(start, start + SLICE);
		}
	}
}

function createDecoder(contentType: string) {
	const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
	try {
		return /^utf-?8$/i.test(charset) ? undefined : new TextDecoder(charset);
	} catch {
		return undefined;
	}
}

/** Frameworks name the charset that they are set to, and write JSON in UTF-8: other text is never valid as such. */
function isUtf8(bytes: Uint8Array): boolean {
	try {
		const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
		return /[^\0-\x7f]/.test(text);
	} catch {
		return false;
	}
}

/** Text that is neither an object nor a list. */
function parseText(slices: Uint8Array[]): Body {
	const text = Buffer.concat(slices).subarray(0, MAX_TEXT_BYTES).toString().trim();
	if (text === '') return { kind: 'empty' };
	try {
		return { kind: 'json', value: parseJson(text) };
	} catch {
		return text.startsWith('<') ? { kind: 'html', title: findTitle(text) } : { kind: 'text', text };
	}
}

function findTitle(html: string): string | undefined {
	const start = html.slice(0, MAX_SEARCHED_FOR_TITLE);
	const titles = start.matchAll(/<(?:title|h[1-3])[^<>]{0,200}>([^<]{1,200})/gi);
	return Array.from(titles, ([, text]) => text.replace(/\s+/g, ' ').trim()).find(Boolean);
}

function toBytes(body: unknown): Uint8Array {
	return Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
}

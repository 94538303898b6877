import { JsonOutline } from './jsonOutline';
import type { Kept } from './memory';

/** Chunks are joined in groups: each can be a small view on a buffer that is much larger. */
const GROUP_BYTES = 1_000_000;
const MAX_CHUNKS = 1000;

/** Smaller responses are read without room of their own: bytes that their values take. */
const MAX_WITHOUT_ROOM = 5_000_000;

/** Longer text is no message. */
export const MAX_TEXT_BYTES = 1_000_000;

/** How long a body can be, decompressed, and how much memory its values can take: both in bytes. */
export interface BodyLimits {
	bytes: number;
	memory: number;
}

/** Limits of a page of a list, of any other body, and of the body of an error. */
export const PAGE_LIMITS: BodyLimits = { bytes: 64_000_000, memory: 150_000_000 };
export const RECORD_LIMITS: BodyLimits = { bytes: 8_000_000, memory: 40_000_000 };
export const ERROR_LIMITS: BodyLimits = { bytes: 1_000_000, memory: 40_000_000 };

/** A body in UTF-8, and what it holds if it is JSON. */
export interface ReceivedBody {
	bytes: ByteQueue;
	outline: JsonOutline;
}

/** Bytes that are read once, from their start to their end: what was read takes no memory any more. */
export class ByteQueue {
	length = 0;
	private readonly groups: Buffer[] = [];
	private chunks: Uint8Array[] = [];
	private chunksLength = 0;
	/** Of the first group. */
	private offset = 0;

	add(chunk: Uint8Array): void {
		this.length += chunk.length;
		this.chunksLength += chunk.length;
		this.chunks.push(chunk);
		if (this.chunksLength >= GROUP_BYTES || this.chunks.length >= MAX_CHUNKS) this.join();
	}

	/** The text from a place on, which is not before that of the last call. */
	read(start: number, end = this.length): string {
		this.join();
		while (this.groups.length > 1 && this.offset + this.groups[0].length <= start) {
			this.offset += (this.groups.shift() as Buffer).length;
		}
		const parts: Buffer[] = [];
		let { offset } = this;
		for (const group of this.groups) {
			if (offset >= end) break;
			parts.push(group.subarray(Math.max(start - offset, 0), end - offset));
			offset += group.length;
		}
		return (parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString();
	}

	private join(): void {
		if (this.chunks.length > 0) this.groups.push(Buffer.concat(this.chunks));
		this.chunks = [];
		this.chunksLength = 0;
	}
}

/** Why a body is not read to its end. */
interface ExceededLimit {
	exceeded:
		| { kind: 'tooLarge'; maxBytes: number }
		| { kind: 'unexpected'; expected: string; received: string };
}

/**
 * Reads a body from its stream, decompressed, up to its limits: a stream that exceeds them is ended.
 *
 * @param body a stream; versions of n8n that answer a request themselves return text or JSON
 * @param kept what is kept of other responses
 * @param makeRoom is called once for a large body, and returns whether there is memory for it
 */
export async function readBody(
	body: unknown,
	limits: BodyLimits,
	contentType?: string,
	kept: Kept = { bytes: 0 },
	makeRoom = async () => await Promise.resolve(true),
): Promise<ReceivedBody | ExceededLimit> {
	const outline = new JsonOutline();
	const toUtf8 = createConverter(contentType);
	const bytes = new ByteQueue();
	let hasRoom = false;
	for await (const received of isStream(body) ? body : [toBytes(body)]) {
		const chunk = toUtf8?.(received) ?? received;
		bytes.add(chunk);
		if (bytes.length > limits.bytes) {
			return { exceeded: { kind: 'tooLarge', maxBytes: limits.bytes } };
		}
		outline.add(chunk);
		let excess = outline.describeExcess(limits.memory, kept.bytes);
		if (excess === undefined && !hasRoom && outline.memory > MAX_WITHOUT_ROOM) {
			hasRoom = await makeRoom();
			if (!hasRoom) excess = 'a large response while n8n reads others';
		}
		if (excess !== undefined) {
			const expected = 'data that n8n can handle';
			return { exceeded: { kind: 'unexpected', expected, received: excess } };
		}
		const isLongText = outline.isJson === false && bytes.length > MAX_TEXT_BYTES;
		if (outline.isTooDeep || isLongText) break;
	}
	return { bytes, outline };
}

/** Converts the chunks of a body in another charset than UTF-8; n8n's own decoding knows UTF-8 alone. */
function createConverter(contentType = ''): ((chunk: Uint8Array) => Uint8Array) | undefined {
	const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1];
	if (charset === undefined || /^utf-?8$/i.test(charset)) return undefined;
	try {
		const decoder = new TextDecoder(charset);
		return (chunk) => Buffer.from(decoder.decode(chunk, { stream: true }));
	} catch {
		return undefined;
	}
}

function toBytes(body: unknown): Uint8Array {
	return Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
	return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

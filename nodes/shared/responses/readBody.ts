/** Small chunks are joined in groups: each is a view on a buffer that is much larger. */
const MAX_CHUNKS = 1000;

/**
 * Reads a body from its stream, decompressed, up to a limit.
 *
 * @param body a stream; versions of n8n that answer a request themselves return text or JSON
 * @returns undefined when the body is longer than the limit, which ends the stream
 */
export async function readBody(body: unknown, maxBytes: number): Promise<Uint8Array | undefined> {
	if (!isStream(body)) {
		return Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
	}
	const groups: Uint8Array[] = [];
	let chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.byteLength;
		if (size > maxBytes) return undefined;
		chunks.push(chunk);
		if (chunks.length < MAX_CHUNKS) continue;
		groups.push(Buffer.concat(chunks));
		chunks = [];
	}
	return Buffer.concat([...groups, ...chunks], size);
}

/** Decodes a body as its charset says; n8n's own decoding knows UTF-8 alone. */
export function decodeBody(body: Uint8Array, contentType = ''): string {
	const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1];
	try {
		return new TextDecoder(charset).decode(body);
	} catch {
		return new TextDecoder().decode(body);
	}
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
	return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

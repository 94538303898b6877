import { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import type { FastifyReply } from 'fastify';

const MAX_SILENCE_MS = 60_000;
/** A file never runs, and loads nothing. */
const POLICY = "sandbox; default-src 'none'";

interface SentContent {
	name: string;
	/** Whether it is to be saved or to be shown. */
	disposition: 'attachment' | 'inline';
	contentType: string;
	size: number;
}

/** Sends what is decrypted while it is sent. A client that takes nothing for a minute is cut off, and one that goes ends it. */
export async function sendContent(
	reply: FastifyReply,
	{ name, disposition, contentType, size }: SentContent,
	content: AsyncIterable<Uint8Array>,
) {
	const fallback = toAscii(name);
	reply.raw.setTimeout(MAX_SILENCE_MS, () => reply.raw.destroy());
	void reply.headers({
		'Content-Type': contentType,
		'Content-Length': String(size),
		'Content-Disposition': contentDisposition(name, { type: disposition, fallback }),
		'Content-Security-Policy': POLICY,
		'Cross-Origin-Resource-Policy': 'same-origin',
		'X-Content-Type-Options': 'nosniff',
	});
	return await reply.send(Readable.from(content, { objectMode: false }));
}

/** Node.js breaks other characters of this header; clients read the name beside it. */
const toAscii = (name: string) => name.replace(/[^ -~]/g, '_');

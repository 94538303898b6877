import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import type { ReceivedPart } from './journal.cts';
import { invalid, ServiceError } from './responses.cts';

/** The client left before its body was complete: nobody waits for a response. */
export class ClientGone extends Error {}

/** A fault breaks the connection at this point of the body. */
export class ConnectionBreak extends Error {}

/** A body as it arrives. */
export type BodyStream = Readable & Pick<IncomingMessage, 'complete'>;

export interface BodyOptions {
	/** Counts the bytes that arrive. */
	record: { bytes: number };
	maxBytes: number | null;
	/** Bytes after which a fault breaks the connection. */
	breakAfter?: number;
}

/** A complete part; `text` is set where `wantsText` asks for it. */
export interface ParsedPart {
	received: ReceivedPart;
	text?: string;
}

export interface MultipartOptions extends BodyOptions {
	boundary: string;
	hashFiles: boolean;
	/** Whether to hold the content of a part in memory as text. */
	wantsText: (name: string) => boolean;
}

const MAX_TEXT_BYTES = 64 * 1024 * 1024;

export const tooLarge = (maxBytes: number) =>
	new ServiceError(413, 'too_large', `The request is larger than the limit of ${maxBytes} bytes`);

/**
 * Passes the body of a request on, chunk by chunk.
 *
 * @param onChunk can pause the request
 * @throws ClientGone, ConnectionBreak, or ServiceError 413 for a body beyond the limit
 */
function eachChunk(
	request: BodyStream,
	{ record, maxBytes, breakAfter }: BodyOptions,
	onChunk: (chunk: Buffer) => void,
): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = (error: Error) => {
			request.off('data', onData);
			request.pause();
			reject(error);
		};
		const onData = (chunk: Buffer) => {
			record.bytes += chunk.length;
			if (breakAfter !== undefined && record.bytes >= breakAfter) stop(new ConnectionBreak());
			else if (maxBytes !== null && record.bytes > maxBytes) stop(tooLarge(maxBytes));
			else onChunk(chunk);
		};
		request.on('data', onData);
		request.once('end', () => {
			if (breakAfter === undefined) resolve();
			else reject(new ConnectionBreak());
		});
		request.once('error', () => reject(new ClientGone()));
		request.once('close', () => {
			if (!request.complete) reject(new ClientGone());
		});
	});
}

/** @returns the body as text; @throws as eachChunk does */
export async function collectText(request: BodyStream, options: BodyOptions): Promise<string> {
	const chunks: Buffer[] = [];
	const maxBytes = Math.min(options.maxBytes ?? MAX_TEXT_BYTES, MAX_TEXT_BYTES);
	await eachChunk(request, { ...options, maxBytes }, (chunk) => chunks.push(chunk));
	return Buffer.concat(chunks).toString('utf8');
}

/**
 * Parses a multipart body while it arrives, without holding files in memory.
 *
 * @returns the parts in their order
 * @throws ServiceError 400 for a malformed body; also as eachChunk does
 */
export async function parseMultipart(
	request: BodyStream,
	options: MultipartOptions,
): Promise<ParsedPart[]> {
	const dicer = new Dicer({ boundary: options.boundary });
	const parts: Array<Promise<ParsedPart>> = [];
	dicer.on('part', (stream) => {
		const part = parsePart(stream as Readable, options);
		part.catch(() => undefined);
		parts.push(part);
	});
	const parsed = new Promise<void>((resolve, reject) => {
		dicer.on('finish', resolve);
		dicer.on('error', () => reject(invalid('The multipart body ends before its last boundary')));
	});
	parsed.catch(() => undefined);
	dicer.on('drain', () => request.resume());
	await eachChunk(request, options, (chunk) => {
		if (!dicer.write(chunk)) request.pause();
	});
	dicer.end();
	await parsed;
	return await Promise.all(parts);
}

function parsePart(
	stream: Readable,
	{ hashFiles, wantsText }: MultipartOptions,
): Promise<ParsedPart> {
	return new Promise((resolve, reject) => {
		const hash = hashFiles ? createHash('sha256') : undefined;
		const held: Buffer[] = [];
		let received: ReceivedPart | undefined;
		stream.on('header', (header: PartHeader) => (received = parseHeader(header)));
		stream.on('data', (chunk: Buffer) => {
			if (received === undefined) return;
			received.size += chunk.length;
			hash?.update(chunk);
			if (wantsText(received.name) && received.size <= MAX_TEXT_BYTES) held.push(chunk);
		});
		stream.on('error', () => reject(invalid('A part ends before its boundary')));
		stream.on('end', () => {
			if (received === undefined) return reject(invalid('A part is not form-data'));
			if (hash !== undefined) received.sha256 = hash.digest('hex');
			const text = wantsText(received.name) ? Buffer.concat(held).toString('utf8') : undefined;
			resolve({ received, text });
		});
	});
}

type PartHeader = Record<string, string[] | undefined>;

/** Headers arrive as one character per byte: names beyond ASCII are UTF-8 (RFC 7578, 5.1.2). */
const decodeHeader = (text: string) => Buffer.from(text, 'latin1').toString('utf8');

/** @returns nothing for a part that isn't form data (RFC 7578, 4.2) */
function parseHeader(header: PartHeader): ReceivedPart | undefined {
	const disposition = decodeHeader(header['content-disposition']?.[0] ?? '');
	const { kind, name = '', filename } = parseDisposition(disposition);
	if (kind !== 'form-data') return undefined;
	const type = decodeHeader(header['content-type']?.[0] ?? '');
	return { name, ...(filename === undefined ? {} : { filename }), disposition, type, size: 0 };
}

const PARAMETER = /;\s*([a-z*]+)\s*=\s*(?:"((?:\\"|[^"])*)"|([^;\s]*))/gi;

/**
 * Parses a Content-Disposition as forms send it (WHATWG: UTF-8, with `%22`, `%0D` and `%0A` for a quote and
 * line ends; older clients: a backslash before a quote). It decodes no other percent sign, which libraries do.
 */
export function parseDisposition(header: string) {
	const parameters = new Map<string, string>();
	for (const [, key, quoted, token] of header.matchAll(PARAMETER)) {
		parameters.set(key.toLowerCase(), quoted === undefined ? token : unescapeFormName(quoted));
	}
	return {
		kind: mediaType(header),
		name: parameters.get('name'),
		filename: parameters.get('filename'),
	};
}

function unescapeFormName(text: string): string {
	return text
		.replaceAll('\\"', '"')
		.replace(/%22|%0D|%0A/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)));
}

/** @returns the media type in lower case without its parameters */
export function mediaType(contentType: string): string {
	return contentType.split(';', 1)[0].trim().toLowerCase();
}

/** @returns the boundary of a multipart Content-Type, if it names one (RFC 2046, 5.1.1) */
export function boundaryOf(contentType: string): string | undefined {
	const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
	return match?.[1] ?? match?.[2];
}

import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Dicer } from '@fastify/busboy';
import { ServiceError } from './responses.cts';

/** One part of a multipart body as it arrives. */
export interface FormPart {
	name: string;
	/** Decoded: UTF-8, with the line ends and quotes that a form escapes. Absent when the part names no file. */
	filename?: string;
	/** The part's Content-Type as sent; empty when it has none. */
	type: string;
	size: number;
	/** Of the bytes, in hex; absent when `hashFiles` is off. */
	sha256?: string;
	/** The content, of the part that is held in memory. */
	text?: string;
}

/** A fault breaks the connection at this point of the body. */
export class ConnectionBreak extends Error {}

export interface BodyOptions {
	/** Counts the bytes that arrive. */
	record: { bytes: number };
	maxBytes?: number | null;
	/** Bytes after which a fault breaks the connection. */
	breakAfter?: number;
}

export const tooLarge = (maxBytes: number) =>
	new ServiceError(413, 'too_large', `The request is larger than the limit of ${maxBytes} bytes`);

/**
 * The body of a request as it arrives. The connection stays open for the response.
 *
 * @throws ConnectionBreak, or ServiceError 413 for a body beyond the limit
 */
export async function* readBody(request: Readable, options: BodyOptions): AsyncGenerator<Buffer> {
	const { record, breakAfter = Infinity } = options;
	const maxBytes = options.maxBytes ?? Infinity;
	for await (const chunk of request.iterator({ destroyOnReturn: false })) {
		record.bytes += (chunk as Buffer).length;
		if (record.bytes >= breakAfter) break;
		if (record.bytes > maxBytes) throw tooLarge(maxBytes);
		yield chunk as Buffer;
	}
	if (breakAfter < Infinity) throw new ConnectionBreak();
}

interface FormOptions {
	boundary: string;
	hashFiles?: boolean;
	/** The name of the part whose content is held in memory. */
	textPart: string;
}

/**
 * Parses a multipart body while it arrives, without holding files in memory.
 *
 * @returns the parts in their order
 */
export async function parseMultipart(
	body: AsyncIterable<Buffer>,
	options: FormOptions,
): Promise<FormPart[]> {
	// A part that fills its buffer within the last chunk would never end. The types lack this setting.
	const settings = { boundary: options.boundary, partHwm: Number.MAX_SAFE_INTEGER };
	const dicer = new Dicer(settings);
	const parts: Array<Promise<FormPart>> = [];
	dicer.on('part', (stream) => {
		const part = parsePart(stream as Readable, options);
		part.catch(() => undefined);
		parts.push(part);
	});
	await pipeline(body, dicer);
	return await Promise.all(parts);
}

async function parsePart(
	stream: Readable,
	{ hashFiles = true, textPart }: FormOptions,
): Promise<FormPart> {
	let part = parseHeader({});
	stream.on('header', (header: PartHeader) => (part = parseHeader(header)));
	const hash = hashFiles ? createHash('sha256') : undefined;
	const held: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		size += chunk.length;
		hash?.update(chunk);
		if (part.name === textPart) held.push(chunk);
	}
	const { name, filename, type } = part;
	return {
		...{ name, type, size },
		...(filename === undefined ? {} : { filename }),
		...(hash === undefined ? {} : { sha256: hash.digest('hex') }),
		...(name === textPart ? { text: Buffer.concat(held).toString() } : {}),
	};
}

type PartHeader = Record<string, string[] | undefined>;

/** Headers arrive as one character per byte: names beyond ASCII are UTF-8 (RFC 7578, 5.1.2). */
const decode = ([value = '']: string[] = []) => Buffer.from(value, 'latin1').toString();

const PARAMETER = /;\s*([a-z*]+)\s*=\s*(?:"((?:\\"|[^"])*)"|([^;\s]*))/gi;

/**
 * Parses the header of a part as forms send it (WHATWG: UTF-8, with `%22`, `%0D` and `%0A` for a quote and line ends;
 * older clients: a backslash before a quote). It decodes no other percent sign, which libraries do.
 */
function parseHeader(header: PartHeader) {
	const disposition = decode(header['content-disposition']);
	const parameters = new Map<string, string>();
	for (const [, key, quoted = '', token = quoted] of disposition.matchAll(PARAMETER)) {
		const value = token
			.replaceAll('\\"', '"')
			.replace(/%22|%0D|%0A/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)));
		parameters.set(key.toLowerCase(), value);
	}
	return {
		name: parameters.get('name') ?? '',
		filename: parameters.get('filename'),
		type: decode(header['content-type']),
	};
}

/** @returns the media type in lower case without its parameters */
export function mediaType(contentType = ''): string {
	return contentType.split(';', 1)[0].trim().toLowerCase();
}

/** @returns the boundary of a multipart Content-Type, if it names one (RFC 2046, 5.1.1) */
export function boundaryOf(contentType = ''): string | undefined {
	const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
	return match?.[1] ?? match?.[2];
}

/** @returns the value; nothing where the text is not JSON */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

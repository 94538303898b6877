import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import type { BodyLimits, BodyStream } from './body.cts';
import { eachChunk } from './body.cts';
import type { KeptFile } from './keptFiles.cts';
import { parseDisposition } from './partHeaders.cts';
import type { ReceivedPart, ReceivedRequest } from '../journal.cts';
import { invalid } from '../service/errors.cts';

/** A complete part; `text` is set where `wantsText` asks for it. */
export interface ParsedPart {
	received: ReceivedPart;
	text?: string;
}

export interface MultipartOptions extends BodyLimits {
	boundary: string;
	hashFiles: boolean;
	/** Whether to hold the content of a part in memory as text. */
	wantsText: (name: string) => boolean;
	/** Opens a file for the bytes of a part; absent when `keepFiles` is off. */
	keep?: (index: number) => KeptFile;
}

type PartHeader = Record<string, string[] | undefined>;

const MAX_HELD_BYTES = 16 * 1024 * 1024;

/**
 * Parses a multipart body while it arrives, without holding files in memory.
 *
 * @returns the parts in their order
 * @throws ServiceError 400 for a malformed body; also as eachChunk does
 */
export async function parseMultipart(
	request: BodyStream,
	record: Pick<ReceivedRequest, 'bytes'>,
	options: MultipartOptions,
): Promise<ParsedPart[]> {
	const dicer = new Dicer({ boundary: options.boundary });
	const parts: Array<Promise<ParsedPart>> = [];
	const kept: KeptFile[] = [];
	dicer.on('part', (stream) => {
		const file = options.keep?.(parts.length);
		if (file !== undefined) kept.push(file);
		const part = parsePart(stream as Readable, options, file);
		part.catch(() => undefined);
		parts.push(part);
	});
	const parsed = new Promise<void>((resolve, reject) => {
		dicer.on('finish', resolve);
		dicer.on('error', () => reject(invalid('The multipart body ends before its last boundary')));
	});
	parsed.catch(() => undefined);
	try {
		dicer.on('drain', () => request.resume());
		await eachChunk(request, record, options, (chunk) => {
			if (!dicer.write(chunk)) request.pause();
		});
		dicer.end();
		await parsed;
		return await Promise.all(parts);
	} catch (error) {
		await Promise.all(kept.map((file) => file.discard()));
		throw error;
	}
}

function parsePart(
	stream: Readable,
	options: MultipartOptions,
	file: KeptFile | undefined,
): Promise<ParsedPart> {
	return new Promise((resolve, reject) => {
		const hash = options.hashFiles ? createHash('sha256') : undefined;
		let part: ParsedPart | undefined;
		let held: Buffer[] | undefined;
		stream.on('header', (header: PartHeader) => {
			const received = parseHeader(header);
			if (received === undefined) return;
			part = { received };
			if (options.wantsText(received.name)) held = [];
		});
		stream.on('data', (chunk: Buffer) => {
			if (part === undefined) return;
			part.received.size += chunk.length;
			hash?.update(chunk);
			if (held !== undefined && part.received.size <= MAX_HELD_BYTES) held.push(chunk);
			if (file !== undefined && !file.write(chunk)) {
				stream.pause();
				file.onceDrained(() => stream.resume());
			}
		});
		stream.on('error', () => reject(invalid('A part ends before its boundary')));
		stream.on('end', () => {
			if (part === undefined) {
				reject(invalid('A part is not form-data'));
				return;
			}
			if (hash !== undefined) part.received.sha256 = hash.digest('hex');
			if (held !== undefined) part.text = Buffer.concat(held).toString('utf8');
			const complete = part;
			if (file === undefined) {
				resolve(complete);
				return;
			}
			file.finish().then((path) => {
				complete.received.path = path;
				resolve(complete);
			}, reject);
		});
	});
}

/** Headers arrive as one character per byte: names beyond ASCII are UTF-8 (RFC 7578, 5.1.2). */
const decodeHeader = (text: string) => Buffer.from(text, 'latin1').toString('utf8');

/** @returns nothing for a part that isn't form data (RFC 7578, 4.2) */
function parseHeader(header: PartHeader): ReceivedPart | undefined {
	const disposition = decodeHeader(header['content-disposition']?.[0] ?? '');
	const { kind, name, filename } = parseDisposition(disposition);
	if (kind !== 'form-data') return undefined;
	return {
		name: name ?? '',
		...(filename === undefined ? {} : { filename }),
		disposition,
		type: decodeHeader(header['content-type']?.[0] ?? ''),
		size: 0,
	};
}

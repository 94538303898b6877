import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import type { BodyLimits } from './body.cts';
import { eachChunk } from './body.cts';
import type { KeptFile } from './kept-files.cts';
import { parseDisposition } from './part-headers.cts';
import type { ReceivedPart, ReceivedRequest } from '../journal.cts';
import { invalid } from '../service/errors.cts';

/** A part that was read to its end; `text` for those that were asked for as text. */
export interface ReadPart {
	kind: string;
	received: ReceivedPart;
	text?: string;
}

export interface MultipartOptions extends BodyLimits {
	boundary: string;
	hashFiles: boolean;
	/** Whether the part's content is wanted as text: it is then held in memory. */
	wantsText: (name: string) => boolean;
	/** Opens a file for a part's bytes; absent when they are not kept. */
	keep?: (index: number) => KeptFile;
}

type PartHeader = Record<string, string[] | undefined>;

const MAX_HELD_BYTES = 16 * 1024 * 1024;

/**
 * Reads a multipart body part by part as it comes in, holding no file in memory.
 *
 * @returns the parts in their order
 * @throws ServiceError 400 for a body that is no sound multipart; else as eachChunk does
 */
export async function readMultipart(
	request: IncomingMessage,
	record: ReceivedRequest,
	options: MultipartOptions,
): Promise<ReadPart[]> {
	const dicer = new Dicer({ boundary: options.boundary });
	const parts: Array<Promise<ReadPart>> = [];
	const kept: KeptFile[] = [];
	dicer.on('part', (stream) => {
		const file = options.keep?.(parts.length);
		if (file !== undefined) kept.push(file);
		const part = readPart(stream as Readable, options, file);
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

function readPart(
	stream: Readable,
	options: MultipartOptions,
	file: KeptFile | undefined,
): Promise<ReadPart> {
	return new Promise((resolve, reject) => {
		const hash = options.hashFiles ? createHash('sha256') : undefined;
		let part: ReadPart | undefined;
		let held: Buffer[] | undefined;
		stream.on('header', (header: PartHeader) => {
			part = describe(header);
			if (options.wantsText(part.received.name)) held = [];
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
				reject(invalid('A part has no headers that can be read'));
				return;
			}
			if (hash !== undefined) part.received.sha256 = hash.digest('hex');
			if (held !== undefined) part.text = Buffer.concat(held).toString('utf8');
			const done = part;
			if (file === undefined) {
				resolve(done);
				return;
			}
			file.finish().then((path) => {
				done.received.path = path;
				resolve(done);
			}, reject);
		});
	});
}

/** Headers come as one character a byte: names beyond ASCII are UTF-8 (RFC 7578, 5.1.2). */
const fromBytes = (text: string) => Buffer.from(text, 'latin1').toString('utf8');

function describe(header: PartHeader): ReadPart {
	const disposition = fromBytes(header['content-disposition']?.[0] ?? '');
	const { kind, name, filename } = parseDisposition(disposition);
	return {
		kind,
		received: {
			name: name ?? '',
			...(filename === undefined ? {} : { filename }),
			disposition,
			type: fromBytes(header['content-type']?.[0] ?? ''),
			size: 0,
		},
	};
}

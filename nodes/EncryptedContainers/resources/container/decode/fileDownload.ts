import { createHash } from 'crypto';
import { OperationalError, type IExecuteFunctions, type IBinaryData } from 'n8n-workflow';

import type { ReadableContent, Receiver } from '../../../../shared/client/transport';
import { RequestError } from '../../../../shared/errors/failure';
import { cleanFileName } from '../encode/files';
import { Garbage } from '../garbage';
import type { StoredFile } from './storedFiles';

/** Bytes that n8n's storage gets at once: a network brings a thirtieth of them, and each write takes time. */
const CHUNK_SIZE = 512 * 1024;

/** Bytes of garbage for each byte that arrives, in pieces that then are joined: with less, 100 MB of buffers wait for V8. */
const GARBAGE = 8;

type Context = { helpers: Pick<IExecuteFunctions['helpers'], 'prepareBinaryData'> };

/** What the class of any stream of Node.js has. */
type StreamClass = { from(content: AsyncIterable<Uint8Array>): ReadableContent };

/**
 * Streams a file into n8n's storage, and compares it with its record while it arrives. What breaks off, or isn't the file,
 * ends the stream with an error, so that n8n keeps nothing of it.
 */
export class FileDownload implements Receiver {
	/** The error from n8n's storage. */
	failure?: Error;
	private isArriving = false;
	private readonly garbage = new Garbage();

	constructor(
		private readonly context: Context,
		private readonly file: StoredFile,
	) {}

	async receive(content: ReadableContent, onPiece: () => void): Promise<IBinaryData> {
		const { name, type, index } = this.file;
		this.isArriving = true;
		// The package can't import the module of streams: the one that is there has the class of others.
		const { from } = content.constructor as unknown as StreamClass;
		const checked = from(this.check(content, onPiece));
		const fileName = cleanFileName(name) || `file-${index}`;
		const { prepareBinaryData } = this.context.helpers;
		return await prepareBinaryData(checked, fileName, type).catch((error: Error) => {
			if (this.isArriving) this.failure = createStorageError(name, error);
			throw error;
		});
	}

	private async *check(content: ReadableContent, onPiece: () => void): AsyncGenerator<Uint8Array> {
		const hash = createHash('sha256');
		let size = 0;
		for await (const chunk of gather(this.readPieces(content, onPiece))) {
			hash.update(chunk);
			size += chunk.length;
			if (size > this.file.size) break;
			this.garbage.create(GARBAGE * chunk.length);
			yield chunk;
			onPiece();
		}
		this.compare(size, hash.digest('hex'));
	}

	private async *readPieces(content: ReadableContent, onPiece: () => void) {
		try {
			for await (const piece of content) {
				onPiece();
				yield piece as Uint8Array;
			}
		} catch (error) {
			throw this.endArrival(error as Error);
		}
	}

	/** What ends it is no error of n8n's storage. */
	private endArrival(error: Error): Error {
		this.isArriving = false;
		return error;
	}

	private compare(size: number, sha256: string): void {
		const { file } = this;
		if (size === file.size && sha256 === file.sha256) return;
		const more = size > file.size ? 'more than ' : '';
		const isSameSize = size === file.size;
		const failure = {
			kind: 'unexpected' as const,
			expected: isSameSize ? `the SHA-256 ${file.sha256}` : `${file.size} bytes`,
			received: isSameSize
				? `a file with the SHA-256 ${sha256}`
				: `${more}${Math.min(size, file.size)} bytes`,
			advice:
				'The file was not kept. Run the workflow again. If the error persists, report it to the operator of the service: the stored file might be damaged.',
		};
		throw this.endArrival(new RequestError(failure));
	}
}

/** Joins pieces to chunks. */
async function* gather(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let held: Uint8Array[] = [];
	let length = 0;
	for await (const piece of pieces) {
		held.push(piece);
		length += piece.length;
		if (length < CHUNK_SIZE) continue;
		yield Buffer.concat(held, length);
		held = [];
		length = 0;
	}
	if (length > 0) yield Buffer.concat(held, length);
}

function createStorageError(name: string, cause: Error): OperationalError {
	return new OperationalError(`n8n can't store the file "${name}": ${cause.message}`, {
		cause,
		description:
			'Check the free space of the disk on which n8n stores files. In the binary mode "default" (memory), n8n holds each file in memory, and a large one does not fit.',
	});
}

import { createHash } from 'crypto';
import { UserError, type IExecuteFunctions } from 'n8n-workflow';

import { delay } from '../../../../shared/client/delay';
import { LARGE_UPLOAD, type StreamedBody } from '../../../../shared/client/transport';
import { Garbage } from '../garbage';

/** Bytes per read: enough for a fast network, and little enough to have several in memory. */
const CHUNK_SIZE = 512 * 1024;

/** A large upload, and one that was cut before, waits this many milliseconds for an early refusal. */
const REFUSAL_WAIT = 300;

const PART_NAMES = {
	current: { manifest: 'manifest.json', file: 'file' },
	older: { manifest: 'manifest', file: 'files' },
};

export interface Form {
	manifest: object;
	files: SourceFile[];
	partNames: keyof typeof PART_NAMES;
	includeFileDigests: boolean;
}

export interface SourceFile {
	name: string;
	type: string;
	content: { stored: string } | { base64: string };
}

type Context = {
	helpers: Pick<IExecuteFunctions['helpers'], 'getBinaryMetadata' | 'getBinaryStream'>;
};

/** The shape by which the HTTP client recognizes a file. */
interface Part {
	name: string;
	type: string;
	size: number;
	stream(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/**
 * The multipart body of encode (docs/openapi.yaml, EncodeForm), read from its sources while it is sent.
 *
 * The HTTP client accepts it as a FormData by its shape: it computes the length from the sizes, writes the boundaries
 * and calls `stream()` of one part after the other, for each attempt. Only the current chunk is in memory.
 */
export class MultipartForm implements StreamedBody {
	// The shape by which the HTTP client recognizes a form.
	readonly [Symbol.toStringTag] = 'FormData';
	readonly append = () => undefined;
	readonly entries = () => this.parts[Symbol.iterator]();
	readonly [Symbol.iterator] = this.entries;

	/** The error from reading a file; the HTTP client only reports that the body ended. */
	failure?: Error;
	/** Of the files, in their order: what was sent, as proof. Complete after the body was sent. */
	readonly digests: Array<{ name: string; size: number; sha256: string }> = [];
	private attempts = 0;
	private parts: Array<[name: string, Part]> = [];
	private readonly garbage = new Garbage();
	/** Aborted at the end of an attempt: what is left of it is not sent any more. */
	private ending = new AbortController();

	constructor(
		private readonly context: Context,
		private readonly form: Form,
	) {}

	/** Bytes of all parts. */
	get size(): number {
		return this.parts.reduce((sum, [, { size }]) => sum + size, 0);
	}

	/** Opens nothing. @throws UserError when a stored file was deleted */
	async prepare(onSent: () => void): Promise<void> {
		const { manifest, files, partNames } = this.form;
		const names = PART_NAMES[partNames];
		const json = Buffer.from(JSON.stringify(manifest));
		const first = { name: names.manifest, type: 'application/json', size: json.length };
		this.attempts += 1;
		this.ending = new AbortController();
		const { signal } = this.ending;
		this.parts = [[names.manifest, { ...first, stream: () => [json] }]];
		for (const [index, file] of files.entries()) {
			const size = await fetchSize(this.context, file);
			const onEnd = index === files.length - 1 ? onSent : () => undefined;
			const stream = () => this.readPart(index, size, signal, onEnd);
			this.parts.push([names.file, { name: file.name, type: file.type, size, stream }]);
		}
	}

	close(): void {
		this.ending.abort();
	}

	private async *readPart(index: number, size: number, signal: AbortSignal, onEnd: () => void) {
		const { files, includeFileDigests } = this.form;
		const hash = createHash('sha256');
		// A service or proxy can refuse the manifest or the headers, and close the connection. Its response is lost if the
		// node is still writing then: what was cut before waits for it, too.
		const waits = this.attempts > 1 || this.size > LARGE_UPLOAD;
		if (index === 0 && waits) await delay(REFUSAL_WAIT, signal);
		for await (const chunk of this.readFile(files[index], signal)) {
			if (includeFileDigests) hash.update(chunk);
			this.garbage.create(chunk.length);
			yield chunk;
		}
		const { name } = files[index];
		if (includeFileDigests) this.digests[index] = { name, size, sha256: hash.digest('hex') };
		onEnd();
	}

	/** An error of the connection, which the HTTP client throws into `readPart`, does not get here. */
	private async *readFile(file: SourceFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
		const { content } = file;
		if ('base64' in content) return yield* decodeBase64(content.base64);
		try {
			const source = await this.context.helpers.getBinaryStream(content.stored, CHUNK_SIZE);
			signal.onabort = () => source.destroy();
			if (signal.aborted) source.destroy();
			yield* source;
		} catch (error) {
			// A file that `close` closed ends too early.
			if (!signal.aborted) this.failure ??= unreadableFileError(file);
			throw this.failure ?? error;
		}
	}
}

async function fetchSize({ helpers }: Context, file: SourceFile): Promise<number> {
	const { content } = file;
	if ('base64' in content) return Buffer.byteLength(content.base64, 'base64');
	const metadata = helpers.getBinaryMetadata(content.stored);
	const { fileSize } = await metadata.catch(() => {
		throw unreadableFileError(file);
	});
	return fileSize;
}

/** One slice at a time, so that a file is not in memory twice. */
function* decodeBase64(text: string): Generator<Uint8Array> {
	// Four characters of Base64 are three bytes, which a slice must not separate.
	const step = Math.ceil(CHUNK_SIZE / 3) * 4;
	for (let start = 0; start < text.length; start += step) {
		yield Buffer.from(text.slice(start, start + step), 'base64');
	}
}

function unreadableFileError({ name }: SourceFile): UserError {
	return new UserError(`The file "${name}" is no longer available in n8n's storage`, {
		description:
			'It might have been deleted with the execution that created it. Run the workflow from the node that provides the file.',
	});
}

import { createHash } from 'crypto';
import { OperationalError, sleep, UserError, type IExecuteFunctions } from 'n8n-workflow';

import { LARGE_UPLOAD, type Upload } from '../../../../shared/client/transport';

/** Bytes per read: enough for a fast network, and little enough to have several in memory. */
const CHUNK_SIZE = 512 * 1024;

/** A large upload waits this many milliseconds for an early refusal. */
const REFUSAL_WAIT = 300;

/** Parsers take a part of a type such as `message/rfc822` for further parts, and not for a file. */
const FILE_TYPE = /^(?!multipart\/|message\/)[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7E]*)?$/i;

const PART_NAMES = {
	current: { manifest: 'manifest.json', file: 'file' },
	older: { manifest: 'manifest', file: 'files' },
};

export interface Form {
	manifest: object;
	files: SourceFile[];
	partNames: keyof typeof PART_NAMES;
	/** Whether to compute the digests of the files. */
	includeFileDigests: boolean;
}

export interface SourceFile {
	name: string;
	type: string;
	content: { stored: string } | { base64: string };
}

/** A part of a multipart body, in the shape by which the HTTP client recognizes a file. */
type Part = Omit<SourceFile, 'content'> & { size: number; stream(): AsyncIterable<Uint8Array> };

type Source = (AsyncIterable<Uint8Array> | Iterable<Uint8Array>) & { destroy?(): void };
type Context = {
	helpers: Pick<IExecuteFunctions['helpers'], 'getBinaryMetadata' | 'getBinaryStream'>;
};

/**
 * The multipart body of encode (docs/openapi.yaml, EncodeForm), read from its sources while it is sent.
 *
 * The HTTP client accepts it as a FormData by its shape: it computes the length from the sizes, writes the boundaries
 * and calls `stream()` of one part after the other, for each attempt. Only the current chunk is in memory.
 */
export class MultipartForm implements Upload {
	// The shape by which the HTTP client recognizes a form.
	readonly [Symbol.toStringTag] = 'FormData';
	readonly append = () => undefined;
	readonly entries = () => this.parts[Symbol.iterator]();
	readonly [Symbol.iterator] = this.entries;

	/** The error from reading a file; the HTTP client only reports that the body ended. */
	failure?: Error;
	/** The digests of the files, in order: what was sent, as proof. Complete after the body was sent. */
	readonly files: Array<{ name: string; size: number; sha256: string }> = [];
	/** The file that the current request reads. When it ended, what is left is not opened or sent any more. */
	private request: { source?: Source; isEnded: boolean } = { isEnded: false };
	private readonly sources: SourceFile[];
	private readonly parts: Array<[string, Part]>;
	private onSent?: () => void;

	/** Opens nothing, so that many can wait in the queue. */
	constructor(
		private readonly context: Context,
		private readonly form: Form,
	) {
		const names = PART_NAMES[form.partNames];
		const content = { base64: Buffer.from(JSON.stringify(form.manifest)).toString('base64') };
		this.sources = [{ name: names.manifest, type: 'application/json', content }, ...form.files];
		this.parts = this.sources.map(({ name, type }, index) => [
			index === 0 ? names.manifest : names.file,
			{ name, type, size: 0, stream: () => this.readPart(index) },
		]);
	}

	/** Bytes of all parts, complete after `prepare`. */
	get size(): number {
		return this.parts.reduce((sum, [, { size }]) => sum + size, 0);
	}

	/** @throws UserError when a stored file was deleted */
	async prepare(onSent: () => void): Promise<void> {
		this.onSent = onSent;
		this.request = { isEnded: false };
		for (const [index, source] of this.sources.entries()) {
			this.parts[index][1].size = await fetchSize(this.context, source);
		}
	}

	close(): void {
		this.request.isEnded = true;
		this.request.source?.destroy?.();
	}

	private async *readPart(index: number): AsyncGenerator<Uint8Array> {
		const { request, sources } = this;
		const { name, size } = this.parts[index][1];
		const hash = index > 0 && this.form.includeFileDigests ? createHash('sha256') : undefined;
		const assertNotEnded = () => {
			if (request.isEnded) throw new OperationalError('The request ended');
		};
		if (index === 1 && this.size > LARGE_UPLOAD) {
			// A service or proxy can refuse the manifest or the headers, and close the connection. Its response is lost
			// if the node is still writing then.
			await sleep(REFUSAL_WAIT);
			assertNotEnded();
		}
		for await (const chunk of this.readSource(sources[index])) {
			hash?.update(chunk);
			yield chunk;
			assertNotEnded();
		}
		if (hash !== undefined) this.files[index - 1] = { name, size, sha256: hash.digest('hex') };
		if (index === sources.length - 1) this.onSent?.();
	}

	/** The content of a file. An error of the connection, which the HTTP client throws into `readPart`, does not get here. */
	private async *readSource(file: SourceFile): AsyncGenerator<Uint8Array> {
		const { request } = this;
		try {
			request.source = await openSource(this.context, file);
			yield* request.source;
		} catch (error) {
			// A file that `close` closed ends too early.
			if (!request.isEnded) this.failure ??= unreadableFileError(file);
			throw this.failure ?? error;
		}
	}
}

async function fetchSize({ helpers }: Context, file: SourceFile): Promise<number> {
	const { content } = file;
	if ('base64' in content) return Buffer.byteLength(content.base64, 'base64');
	const { fileSize } = await helpers.getBinaryMetadata(content.stored).catch(() => {
		throw unreadableFileError(file);
	});
	return fileSize;
}

async function openSource({ helpers }: Context, { content }: SourceFile): Promise<Source> {
	if ('stored' in content) return await helpers.getBinaryStream(content.stored, CHUNK_SIZE);
	return decodeBase64(content.base64);
}

/** Decodes one slice at a time, so that a file is not in memory twice. */
function* decodeBase64(text: string): Generator<Uint8Array> {
	// Four characters of Base64 are three bytes, which a slice must not separate.
	const step = Math.ceil(CHUNK_SIZE / 3) * 4;
	for (let start = 0; start < text.length; start += step) {
		yield Buffer.from(text.slice(start, start + step), 'base64');
	}
}

function unreadableFileError({ name }: { name: string }): UserError {
	return new UserError(`The file "${name}" is no longer available in n8n's storage`, {
		description:
			'It might have been deleted with the execution that created it. Run the workflow from the node that provides the file.',
	});
}

/** A media type that is safe in a header of a multipart body; anything else becomes the type of unknown bytes. */
export function sanitizeMediaType(type: unknown): string {
	const trimmed = typeof type === 'string' ? type.trim() : '';
	return FILE_TYPE.test(trimmed) ? trimmed : 'application/octet-stream';
}

import { createHash } from 'crypto';
import type { IExecutePaginationFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { Upload } from '../transport/client';
import type { SourceFile } from './files';
import { CHUNK_SIZE } from './files';

/** What was sent of a file, as proof. */
export interface FileDigest {
	[key: string]: string | number;
	name: string;
	size: number;
	sha256: string;
}

/** A part of a multipart body as the HTTP client recognises it: a file by its shape. */
interface FilePart {
	name: string;
	type: string;
	size: number;
	stream(): AsyncIterable<Uint8Array>;
}

/** How the parts of the multipart body are named (service-api.md, encode). */
export interface PartNames {
	manifest: string;
	file: string;
}

interface Source extends AsyncIterable<Uint8Array> {
	destroy?(): void;
}

/**
 * The multipart body of encode (service-api.md, end point 2), read from its sources while it is sent.
 *
 * The HTTP client takes it for a FormData by its shape: it computes the length from the sizes, writes the boundaries
 * and calls `stream()` of a part when its turn has come, again for each try. Nothing is held but the chunk on its way.
 */
export class UploadForm implements Upload {
	readonly [Symbol.toStringTag] = 'FormData';

	/** What went wrong while a file was read; the HTTP client only tells that the body ended. */
	failure?: Error;

	private readonly open = new Set<Source>();

	private digests: FileDigest[] = [];

	private constructor(
		private readonly parts: Array<[string, FilePart]>,
		readonly size: number,
	) {}

	/**
	 * Prepares the body; the sizes of stored files are looked up, no file is opened.
	 *
	 * @param context gives access to n8n's stored files
	 * @param manifest the manifest, sent as JSON
	 * @param files the files, in the order in which they are sent
	 * @param names names of the parts
	 * @param withDigests whether to compute SHA-256 while sending
	 * @returns the body
	 * @throws UserError when a stored file is gone
	 */
	static async create(
		context: Pick<IExecutePaginationFunctions, 'helpers'>,
		manifest: object,
		files: SourceFile[],
		names: PartNames,
		withDigests: boolean,
	): Promise<UploadForm> {
		const json = Buffer.from(JSON.stringify(manifest));
		const sizes: number[] = [];
		for (const file of files) sizes.push(await sizeOf(context, file));
		const parts: Array<[string, FilePart]> = [];
		const form = new UploadForm(
			parts,
			sizes.reduce((sum, size) => sum + size, json.byteLength),
		);
		parts.push([
			names.manifest,
			{
				name: names.manifest,
				type: 'application/json',
				size: json.byteLength,
				async *stream() {
					yield json;
				},
			},
		]);
		for (const [index, file] of files.entries()) {
			const fileSize = sizes[index];
			parts.push([
				names.file,
				{
					name: file.name,
					type: file.type,
					size: fileSize,
					stream: () => form.read(context, file, fileSize, withDigests ? index : undefined),
				},
			]);
		}
		return form;
	}

	/** The digests of what was sent, in the order of the files; complete once the body was sent. */
	get files(): FileDigest[] {
		return this.digests;
	}

	/** Part of the shape by which the HTTP client recognises a form; the parts are fixed, so it refuses. */
	append(): never {
		throw new TypeError('The parts of this form are fixed');
	}

	entries(): IterableIterator<[string, FilePart]> {
		return this.parts[Symbol.iterator]();
	}

	[Symbol.iterator](): IterableIterator<[string, FilePart]> {
		return this.entries();
	}

	/** Closes what is still open, after the body was sent or the request ended early. */
	close(): void {
		for (const source of this.open) source.destroy?.();
		this.open.clear();
	}

	private async *read(
		context: Pick<IExecutePaginationFunctions, 'helpers'>,
		file: SourceFile,
		size: number,
		digestIndex: number | undefined,
	): AsyncGenerator<Uint8Array> {
		const hash = digestIndex === undefined ? undefined : createHash('sha256');
		let source: Source | undefined;
		let sent = 0;
		try {
			source = await openSource(context, file);
			this.open.add(source);
			for await (const chunk of source) {
				sent += chunk.byteLength;
				if (sent > size) break;
				hash?.update(chunk);
				yield chunk;
			}
			if (sent !== size) throw changed(file);
		} catch (error) {
			this.failure ??= error instanceof UserError ? error : unreadable(file);
			throw this.failure;
		} finally {
			source?.destroy?.();
			if (source !== undefined) this.open.delete(source);
		}
		if (hash !== undefined && digestIndex !== undefined) {
			this.digests[digestIndex] = { name: file.name, size, sha256: hash.digest('hex') };
		}
	}
}

async function sizeOf(
	context: Pick<IExecutePaginationFunctions, 'helpers'>,
	file: SourceFile,
): Promise<number> {
	const { content } = file;
	if ('text' in content) return Buffer.byteLength(content.text);
	if ('base64' in content) return Buffer.byteLength(content.base64, 'base64');
	const metadata = await context.helpers
		.getBinaryMetadata(content.stored)
		.catch(() => ({ fileSize: undefined }));
	const size = metadata.fileSize ?? content.bytes;
	if (size === undefined || !Number.isSafeInteger(size)) throw unreadable(file);
	return size;
}

async function openSource(
	context: Pick<IExecutePaginationFunctions, 'helpers'>,
	{ content }: SourceFile,
): Promise<Source> {
	if ('stored' in content) return await context.helpers.getBinaryStream(content.stored, CHUNK_SIZE);
	return 'text' in content ? slices(content.text, 'utf8') : slices(content.base64, 'base64');
}

/** Turns text into bytes a slice at a time, so that a file in memory is not there twice. */
async function* slices(text: string, encoding: 'utf8' | 'base64'): AsyncGenerator<Uint8Array> {
	if (encoding === 'utf8') {
		if (text !== '') yield Buffer.from(text);
		return;
	}
	// Four characters of Base64 are three bytes: a slice must not part them.
	const step = Math.ceil(CHUNK_SIZE / 3) * 4;
	for (let start = 0; start < text.length; start += step) {
		yield Buffer.from(text.slice(start, start + step), 'base64');
	}
}

function unreadable({ name }: { name: string }): UserError {
	return new UserError(`The file "${name}" can no longer be read from n8n's storage`, {
		description:
			'It may have been removed with the execution that made it. Run the workflow from the node that gives the file.',
	});
}

function changed({ name }: { name: string }): UserError {
	return new UserError(
		`The file "${name}" has another size than n8n noted, so it was not sent whole`,
		{
			description:
				'It changed while it was read. Run the workflow from the node that gives the file.',
		},
	);
}

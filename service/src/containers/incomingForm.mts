import type { Readable } from 'node:stream';
import type { Check } from '../contract.mts';
import { invalid, malformed, tooLarge } from '../errors.mts';
import { parseManifest, type Manifest } from './manifest.mts';
import { readParts, type Part } from './parts.mts';

/** The name of the files' parts, by the name of the manifest's. */
const FILE_PARTS = new Map([
	['manifest.json', 'file'],
	['manifest', 'files'],
]);
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 10_000;
const MAX_NAME_CHARACTERS = 255;

type FormOptions = { checkManifest: Check; maxUploadBytes: number };

export interface IncomingFile {
	name: string;
	type: string;
	hidden: boolean;
	/** Can be read until the next file is asked for. */
	content: AsyncIterable<Uint8Array>;
}

export interface IncomingForm {
	manifest: Manifest;
	/** They arrive while they are read. @throws ServiceError where one of them, or the end of the form, is wrong */
	files: AsyncIterable<IncomingFile>;
}

/** Reads a form as far as its manifest. @throws ServiceError */
export async function readForm(
	body: Readable,
	contentType: string,
	{ checkManifest, maxUploadBytes }: FormOptions,
): Promise<IncomingForm> {
	const parts = readParts({ body, contentType, maxBytes: maxUploadBytes });
	const { value: first } = (await parts.next()) as { value?: Part };
	const filePart = first?.name && FILE_PARTS.get(first.name);
	if (!first || !filePart) throw malformed('The first part must be named "manifest.json".');
	const manifest = parseManifest(await readManifest(first), checkManifest);
	return { manifest, files: readFiles(parts, filePart, manifest) };
}

async function readManifest({ content }: Part): Promise<Buffer> {
	const pieces: Uint8Array[] = [];
	let size = 0;
	for await (const piece of content) {
		size += piece.length;
		if (size > MAX_MANIFEST_BYTES) throw tooLarge('manifest', MAX_MANIFEST_BYTES);
		pieces.push(piece);
	}
	return Buffer.concat(pieces);
}

async function* readFiles(
	parts: AsyncIterable<Part>,
	filePart: string,
	{ settings }: Manifest,
): AsyncGenerator<IncomingFile> {
	const withoutFile = new Set(settings.keys());
	let count = 0;
	for await (const part of parts) {
		if (part.name !== undefined && FILE_PARTS.has(part.name)) {
			throw malformed('The form has two manifests.');
		}
		if (part.name !== filePart) {
			throw malformed(`The part after the manifest must be named "${filePart}".`);
		}
		if (count === MAX_FILES) throw invalid({ file: `can come at most ${MAX_FILES} times` });
		const name = toFileName(part.filename, `file.${count}.name`);
		const { type = part.type, hidden = false } = settings.get(name) ?? {};
		withoutFile.delete(name);
		count += 1;
		yield { name, type: toMediaType(type), hidden, content: part.content };
	}
	if (count === 0) throw malformed(`The form has no part "${filePart}".`);
	const [unknown] = withoutFile;
	if (unknown !== undefined) {
		throw invalid({ [`files.${unknown}`]: 'names a file that was not sent' });
	}
}

/** @param field names the file in an error */
export function toFileName(path: string, field: string): string {
	const name = path.split(/[/\\]/).at(-1)!;
	if (['', '.', '..'].includes(name)) throw invalid({ [field]: 'is missing' });
	if (/\p{Cc}/u.test(name)) throw invalid({ [field]: 'has control characters' });
	if (name.length > MAX_NAME_CHARACTERS) {
		throw invalid({ [field]: `must have at most ${MAX_NAME_CHARACTERS} characters` });
	}
	return name;
}

export function toMediaType(text: string): string {
	const isType = /^[\w.+-]+\/[\w.+-]+$/.test(text);
	return isType ? text.toLowerCase() : 'application/octet-stream';
}

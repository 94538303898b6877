import type { Readable } from 'node:stream';
import { make, type MultipartError, type PartInfo } from 'multipasta';
import { tooLarge } from '../errors.mts';

export interface FormPart {
	name: string;
	/** Absent where the part names no file. */
	filename?: string;
	type: string;
}

export type FormEvent = { part: FormPart } | { data: Buffer } | { end: true };

/** The body can't be read as a form. */
export class FormError extends Error {}

const SILENCE_MS = 60_000;

/**
 * Returns the body of an upload as it arrives. The connection stays open for the response.
 *
 * @throws ServiceError 413, or the error of a body that breaks off or brings nothing for a minute
 */
export async function* readBody(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
	const chunks = body.iterator({ destroyOnReturn: false });
	let size = 0;
	for (;;) {
		// Only silence counts, not the time that the service needs itself.
		const silence = setTimeout(() => body.destroy(new Error('The upload went silent')), SILENCE_MS);
		const { done, value } = await chunks.next().finally(() => clearTimeout(silence));
		if (done) return;
		const chunk = value as Buffer;
		size += chunk.length;
		if (size > maxBytes) throw tooLarge('upload', maxBytes);
		yield chunk;
	}
}

/**
 * Parses a multipart body while it arrives: no chunk is read ahead of the events of the one before it.
 *
 * @throws FormError
 */
export async function* parseForm(
	body: AsyncIterable<Buffer>,
	contentType: string,
): AsyncGenerator<FormEvent> {
	const events: FormEvent[] = [];
	let failure: MultipartError['_tag'] | undefined;
	let isWhole = false;
	const parser = make({
		headers: { 'content-type': contentType },
		isFile: () => true,
		onFile(info) {
			events.push({ part: toFormPart(info) });
			return (chunk) => events.push(chunk === null ? { end: true } : { data: toBuffer(chunk) });
		},
		onField: () => undefined,
		onError: ({ _tag }) => (failure ??= _tag),
		onDone: () => (isWhole = true),
	});
	const write = (chunk: Buffer) => {
		try {
			parser.write(chunk);
		} catch {
			// The parser can't decode a name that is encoded wrongly.
			failure = 'InvalidDisposition';
		}
	};
	for await (const chunk of body) {
		if (!isWhole) write(chunk);
		if (failure !== undefined) throw new FormError(`The form can't be read (${failure}).`);
		yield* events.splice(0);
	}
	if (!isWhole) throw new FormError('The form ends before its last boundary.');
}

/** Forms write these three characters of a name as browsers do (WHATWG): `%22`, `%0D`, `%0A`. */
function toFormPart({
	name,
	filename,
	contentType,
	contentDispositionParameters,
}: PartInfo): FormPart {
	const isEncoded = 'filename*' in contentDispositionParameters;
	const decode = (text: string) =>
		text.replace(/%22|%0D|%0A/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)));
	return {
		name: decode(name),
		type: contentType,
		...(filename === undefined ? {} : { filename: isEncoded ? filename : decode(filename) }),
	};
}

function toBuffer(chunk: Uint8Array): Buffer {
	return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

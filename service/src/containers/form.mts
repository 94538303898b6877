import type { Readable } from 'node:stream';
import { make, type MultipartError, type PartInfo } from 'multipasta';
import { malformed, tooLarge } from '../errors.mts';

export interface FormPart {
	name: string;
	/** Empty where the part names no file. */
	filename: string;
	type: string;
}

export type FormEvent = { part: FormPart } | { data: Buffer } | { end: true };

const SILENCE_MS = 60_000;

/**
 * Returns the body of an upload as it arrives. The connection stays open for the response.
 *
 * @throws ServiceError 413, or the error of a body that breaks off or brings nothing for a minute
 */
export async function* readBody(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
	const chunks = body.iterator({ destroyOnReturn: false });
	for (let size = 0; ;) {
		// Only silence counts, not the time that the service needs itself.
		const cutOff = () => body.destroy(new Error('The upload went silent'));
		const silence = setTimeout(cutOff, SILENCE_MS);
		const { done, value } = await chunks.next().finally(() => clearTimeout(silence));
		if (done) return;
		size += (value as Buffer).length;
		if (size > maxBytes) throw tooLarge('upload', maxBytes);
		yield value as Buffer;
	}
}

/**
 * Parses a multipart body while it arrives: no chunk is read ahead of the events of the one before it.
 *
 * @throws ServiceError 400
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
	for await (const chunk of body) {
		try {
			if (!isWhole) parser.write(chunk);
		} catch {
			// The parser can't decode a name that is encoded wrongly.
			failure = 'InvalidDisposition';
		}
		if (failure !== undefined) throw malformed(`The form can't be read (${failure}).`);
		yield* events.splice(0);
	}
	if (!isWhole) throw malformed('The form ends before its last boundary.');
}

/** Browsers write three characters of a name as `%22`, `%0D` and `%0A` (WHATWG). */
function toFormPart({ name, filename = '', ...info }: PartInfo): FormPart {
	const isEncoded = 'filename*' in info.contentDispositionParameters;
	const decoded = filename.replace(/%22|%0D|%0A/gi, decodeURIComponent);
	return { name, type: info.contentType, filename: isEncoded ? filename : decoded };
}

function toBuffer(chunk: Uint8Array): Buffer {
	return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

import type { Readable } from 'node:stream';
import { toFileName, toMediaType, type IncomingFile } from '../containers/incomingForm.mts';
import { readParts, type Part } from '../containers/parts.mts';
import { ServiceError } from '../errors.mts';
import { DeliveryError } from './deliveryError.mts';

/** The name of the inputs of the page. */
const FIELD = 'files';
/** The head of a part: a name of 255 characters, each escaped by three, and the rest. */
const HEAD_BYTES = 4096;
/** Free space is checked every 4 MB, so parallel deliveries can exceed the limit by that much each. */
const SPACE_STEP_BYTES = 4 * 1024 * 1024;

export interface SentForm {
	body: Readable;
	/** Names the boundary. */
	contentType: string;
	/** As the browser says; nothing where it doesn't. */
	contentLength?: number;
}

export interface DeliveryLimits {
	maxFiles: number;
	/** Of all files together. */
	maxBytes: number;
}

/** What a form with as much as possible can have beside the files. An input without a choice is a part, too. */
const getFormBytes = ({ maxFiles }: DeliveryLimits) => (maxFiles + 2) * HEAD_BYTES;

/** Before anything is read. @throws DeliveryError where the form is certain to have more than is possible */
export function checkLength({ contentLength = 0 }: SentForm, limits: DeliveryLimits): void {
	if (contentLength - getFormBytes(limits) > limits.maxBytes) throw new DeliveryError('tooLarge');
}

type CheckSpace = () => Promise<void>;

/**
 * The files as they arrive.
 * @param checkSpace called again and again: throws where there is no room for more
 * @throws DeliveryError where they are beyond a limit, or the form is none
 */
export async function* readSentFiles(
	form: SentForm,
	limits: DeliveryLimits,
	checkSpace: CheckSpace,
): AsyncGenerator<IncomingFile> {
	const parts = readParts({ ...form, maxBytes: limits.maxBytes + getFormBytes(limits) });
	const watch = createLimitWatch(limits.maxBytes, checkSpace);
	let files = 0;
	try {
		for await (const { name, filename, type, content } of parts) {
			if (name !== FIELD) throw new DeliveryError('form');
			if (filename === '') {
				await skipEmpty(content);
				continue;
			}
			if (files === limits.maxFiles) throw new DeliveryError('tooMany');
			files += 1;
			const file = { name: toSentName(filename), type: toMediaType(type), hidden: false };
			yield { ...file, content: watch(content) };
		}
	} catch (error) {
		throw toDeliveryError(error as Error);
	}
	if (files === 0) throw new DeliveryError('noFiles');
}

/** A browser sends an input in which nothing was chosen as a part without a name. */
async function skipEmpty(content: Part['content']): Promise<void> {
	for await (const piece of content) if (piece.length > 0) throw new DeliveryError('form');
}

function toSentName(path: string): string {
	try {
		return toFileName(path, 'name');
	} catch {
		throw new DeliveryError('badName');
	}
}

/** Counts the bytes of all files together. One stage for all limits: each takes time for each piece. */
function createLimitWatch(maxBytes: number, checkSpace: CheckSpace) {
	let bytes = 0;
	let checkedBytes = 0;
	return async function* (content: AsyncIterable<Uint8Array>) {
		for await (const piece of content) {
			bytes += piece.length;
			if (bytes > maxBytes) throw new DeliveryError('tooLarge');
			if (bytes - checkedBytes > SPACE_STEP_BYTES) {
				await checkSpace();
				checkedBytes = bytes;
			}
			yield piece;
		}
	};
}

function toDeliveryError(error: Error): Error {
	if (!(error instanceof ServiceError)) return error;
	return new DeliveryError(error.statusCode === 413 ? 'tooLarge' : 'form', error.message);
}

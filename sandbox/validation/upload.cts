import { invalid } from '../service/errors.cts';
import type { ReadPart } from '../http/multipart.cts';
import { mediaType } from '../http/part-headers.cts';
import type { ReceivedPart } from '../journal.cts';
import type { SandboxSettings } from '../settings.cts';

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

export interface Upload {
	manifestText: string;
	files: ReceivedPart[];
}

/**
 * Checks the parts of an encode request (service-api.md, "POST …/encode"): one manifest of type application/json,
 * one file or more, each with a name and its own media type, and nothing else.
 *
 * @throws ServiceError 400 naming the part that is wrong
 */
export function checkUpload(parts: ReadPart[], settings: SandboxSettings): Upload {
	const { manifestPart, filePart } = settings;
	for (const { kind, received } of parts) {
		if (kind !== 'form-data') throw invalid('A part is not form-data');
		if (received.name !== manifestPart && received.name !== filePart) {
			throw invalid(
				`Unknown part "${received.name}": there are "${manifestPart}" and "${filePart}"`,
			);
		}
	}
	const manifests = parts.filter(({ received }) => received.name === manifestPart);
	if (manifests.length !== 1) {
		throw invalid(`There must be one part "${manifestPart}", there are ${manifests.length}`);
	}
	if (mediaType(manifests[0].received.type) !== 'application/json') {
		throw invalid(`The part "${manifestPart}" must be of type application/json`);
	}
	const files = parts.map(({ received }) => received).filter(({ name }) => name === filePart);
	if (files.length === 0) throw invalid(`There must be at least one part "${filePart}"`);
	for (const file of files) {
		if (file.filename === undefined || file.filename === '') {
			throw invalid(`A part "${filePart}" has no filename`);
		}
		if (!MEDIA_TYPE.test(mediaType(file.type))) {
			throw invalid(`The part "${filePart}" of ${file.filename} has no media type`);
		}
	}
	return { manifestText: manifests[0].text ?? '', files };
}

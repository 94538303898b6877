import path from 'node:path';
import type { IncomingMessage } from 'node:http';
import type { BodyLimits } from './body.cts';
import { hasBody, readText } from './body.cts';
import { keepFile } from './kept-files.cts';
import type { ReadPart } from './multipart.cts';
import { readMultipart } from './multipart.cts';
import { boundaryOf, mediaType } from './part-headers.cts';
import type { ReceivedRequest } from '../journal.cts';
import type { Endpoint } from '../service/context.cts';
import { ServiceError, invalid } from '../service/errors.cts';
import type { SandboxSettings } from '../settings.cts';
import { parseJson } from '../validation/checks.cts';

export interface ReadOptions {
	settings: SandboxSettings;
	/** Where kept files go. */
	folder: string;
	breakAfter?: number;
}

export interface RequestBody {
	body?: unknown;
	parts?: ReadPart[];
}

/**
 * Reads the body of a request as its end point wants it, and notes it in the request's record.
 *
 * @throws ServiceError 400, 413 or 415 for a body that is not of that form; ClientGone; BreakHere
 */
export async function readRequest(
	reads: Endpoint['reads'],
	request: IncomingMessage,
	record: ReceivedRequest,
	options: ReadOptions,
): Promise<RequestBody> {
	const limits = { maxBytes: options.settings.maxBodyBytes, breakAfter: options.breakAfter };
	if (reads === 'upload') return await readUpload(request, record, limits, options);
	if (!hasBody(request) && options.breakAfter === undefined) {
		if (reads === 'json') throw invalid('The request has no body: it must be a JSON object');
		return {};
	}
	const text = await readText(request, record, limits);
	if (reads === 'nothing') {
		record.body = text;
		throw invalid('This request takes no body');
	}
	if (mediaType(request.headers['content-type'] ?? '') !== 'application/json') {
		record.body = text;
		throw new ServiceError(415, 'wrong_type', 'The body must be of type application/json');
	}
	record.body = text;
	record.body = parseJson(text, 'The body');
	return { body: record.body };
}

async function readUpload(
	request: IncomingMessage,
	record: ReceivedRequest,
	limits: BodyLimits,
	{ settings, folder }: ReadOptions,
): Promise<RequestBody> {
	const contentType = request.headers['content-type'] ?? '';
	const boundary = boundaryOf(contentType);
	if (mediaType(contentType) !== 'multipart/form-data' || boundary === undefined) {
		throw new ServiceError(
			415,
			'wrong_type',
			'The body must be of type multipart/form-data and name its boundary',
		);
	}
	const parts = await readMultipart(request, record, {
		...limits,
		boundary,
		hashFiles: settings.hashFiles,
		wantsText: (name) => name === settings.manifestPart,
		keep: settings.keepFiles
			? (index) => keepFile(path.join(folder, 'files'), `request-${record.id}-part-${index}`)
			: undefined,
	});
	record.parts = parts.map((part) => part.received);
	record.body = jsonOrText(parts.find((part) => part.text !== undefined)?.text);
	return { parts };
}

function jsonOrText(text: string | undefined): unknown {
	try {
		return text === undefined ? undefined : JSON.parse(text);
	} catch {
		return text;
	}
}

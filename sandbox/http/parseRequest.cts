import path from 'node:path';
import type { IncomingMessage } from 'node:http';
import type { BodyLimits } from './body.cts';
import { collectText, hasBody } from './body.cts';
import { keepFile } from './keptFiles.cts';
import type { ParsedPart } from './multipart.cts';
import { parseMultipart } from './multipart.cts';
import { boundaryOf, mediaType } from './partHeaders.cts';
import type { ContractOperation } from '../contract/contract.cts';
import type { ReceivedRequest } from '../journal.cts';
import { ServiceError, invalid } from '../service/errors.cts';
import type { SandboxSettings } from '../settings.cts';

export interface ParseOptions {
	settings: SandboxSettings;
	/** Where kept files go. */
	folder: string;
	breakAfter?: number;
}

export interface RequestBody {
	body?: unknown;
	parts?: ParsedPart[];
}

/**
 * Parses the body of a request as the operation expects it, and adds it to the record of the request.
 *
 * @throws ServiceError 400, 413 or 415 for a body of another form; ClientGone; ConnectionBreak
 */
export async function parseRequest(
	operation: ContractOperation | undefined,
	request: IncomingMessage,
	record: ReceivedRequest,
	options: ParseOptions,
): Promise<RequestBody> {
	const limits = { maxBytes: options.settings.maxBodyBytes, breakAfter: options.breakAfter };
	const content = operation?.requestBody?.content ?? {};
	if (Object.hasOwn(content, 'multipart/form-data')) {
		return await parseForm(request, record, limits, options);
	}
	if (!hasBody(request) && options.breakAfter === undefined) return {};
	const text = await collectText(request, record, limits);
	record.body = text;
	if (Object.keys(content).length === 0) throw invalid('This request accepts no body');
	if (!Object.hasOwn(content, mediaType(request.headers['content-type'] ?? ''))) {
		throw new ServiceError(
			415,
			'wrong_type',
			`The body must be of type ${Object.keys(content).join(' or ')}`,
		);
	}
	try {
		record.body = JSON.parse(text) as unknown;
	} catch (error) {
		throw invalid(`The body is not JSON: ${(error as Error).message}`);
	}
	return { body: record.body };
}

async function parseForm(
	request: IncomingMessage,
	record: ReceivedRequest,
	limits: BodyLimits,
	{ settings, folder }: ParseOptions,
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
	const parts = await parseMultipart(request, record, {
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
		return text === undefined ? undefined : (JSON.parse(text) as unknown);
	} catch {
		return text;
	}
}

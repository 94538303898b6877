import type { IncomingMessage } from 'node:http';
import type { ReceivedRequest } from '../journal.cts';
import { ServiceError } from '../service/errors.cts';

/** The client left before its body was complete: there is nobody to answer. */
export class ClientGone extends Error {}

/** The body was read as far as a fault wants it: the connection is to be reset now. */
export class BreakHere extends Error {}

export interface BodyLimits {
	maxBytes: number | null;
	/** Bytes after which a fault breaks the connection. */
	breakAfter?: number;
}

export const tooLarge = (maxBytes: number) =>
	new ServiceError(
		413,
		'too_large',
		`The request is larger than the ${maxBytes} bytes that are taken`,
	);

/**
 * Hands on a request's body chunk by chunk, counting it.
 *
 * @param take gets each chunk; it may pause the request
 * @throws ClientGone, BreakHere, or ServiceError 413 for a body beyond the limit
 */
export function eachChunk(
	request: IncomingMessage,
	record: ReceivedRequest,
	{ maxBytes, breakAfter }: BodyLimits,
	take: (chunk: Buffer) => void,
): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = (error: Error) => {
			request.off('data', onData);
			request.pause();
			reject(error);
		};
		const onData = (chunk: Buffer) => {
			record.bytes += chunk.length;
			if (breakAfter !== undefined && record.bytes >= breakAfter) stop(new BreakHere());
			else if (maxBytes !== null && record.bytes > maxBytes) stop(tooLarge(maxBytes));
			else take(chunk);
		};
		request.on('data', onData);
		request.once('end', () => {
			if (breakAfter === undefined) resolve();
			else reject(new BreakHere());
		});
		request.once('error', () => reject(new ClientGone()));
		request.once('close', () => {
			if (!request.complete) reject(new ClientGone());
		});
	});
}

/** Longest JSON body that is kept in memory. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** @returns the whole body as text; @throws as eachChunk does */
export async function readText(
	request: IncomingMessage,
	record: ReceivedRequest,
	limits: BodyLimits,
): Promise<string> {
	const chunks: Buffer[] = [];
	const maxBytes = Math.min(limits.maxBytes ?? MAX_TEXT_BYTES, MAX_TEXT_BYTES);
	await eachChunk(request, record, { ...limits, maxBytes }, (chunk) => chunks.push(chunk));
	return Buffer.concat(chunks).toString('utf8');
}

/** @returns whether the request announces a body (RFC 9112, 6.3) */
export function hasBody({ headers }: IncomingMessage): boolean {
	return (
		headers['transfer-encoding'] !== undefined ||
		(headers['content-length'] !== undefined && headers['content-length'] !== '0')
	);
}

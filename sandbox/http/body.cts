import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ReceivedRequest } from '../journal.cts';
import { ServiceError } from '../service/errors.cts';

/** The client left before its body was complete: nobody waits for a response. */
export class ClientGone extends Error {}

/** A fault breaks the connection at this point of the body. */
export class ConnectionBreak extends Error {}

/** A body as it arrives. */
export type BodyStream = Readable & Pick<IncomingMessage, 'complete'>;

export interface BodyLimits {
	maxBytes: number | null;
	/** Bytes after which a fault breaks the connection. */
	breakAfter?: number;
}

export const tooLarge = (maxBytes: number) =>
	new ServiceError(413, 'too_large', `The request is larger than the limit of ${maxBytes} bytes`);

/**
 * Passes the body of a request on, chunk by chunk, and counts its bytes.
 *
 * @param onChunk can pause the request
 * @throws ClientGone, ConnectionBreak, or ServiceError 413 for a body beyond the limit
 */
export function eachChunk(
	request: BodyStream,
	record: Pick<ReceivedRequest, 'bytes'>,
	{ maxBytes, breakAfter }: BodyLimits,
	onChunk: (chunk: Buffer) => void,
): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = (error: Error) => {
			request.off('data', onData);
			request.pause();
			reject(error);
		};
		const onData = (chunk: Buffer) => {
			record.bytes += chunk.length;
			if (breakAfter !== undefined && record.bytes >= breakAfter) stop(new ConnectionBreak());
			else if (maxBytes !== null && record.bytes > maxBytes) stop(tooLarge(maxBytes));
			else onChunk(chunk);
		};
		request.on('data', onData);
		request.once('end', () => {
			if (breakAfter === undefined) resolve();
			else reject(new ConnectionBreak());
		});
		request.once('error', () => reject(new ClientGone()));
		request.once('close', () => {
			if (!request.complete) reject(new ClientGone());
		});
	});
}

/** Of a JSON body, which is held in memory. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** @returns the body as text; @throws as eachChunk does */
export async function collectText(
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

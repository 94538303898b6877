import type { ServerResponse } from 'node:http';
import type { Journal, ReceivedRequest } from '../journal.cts';
import type { ServiceResponse } from '../service/response.cts';

/** Where a response goes, and where it is recorded. */
export interface Destination {
	response: ServerResponse;
	record: ReceivedRequest;
	journal: Journal;
}

/** Sends a complete response. */
export function sendResponse(to: Destination, response: ServiceResponse): void {
	const body = bodyOf(response);
	to.journal.noteStatus(to.record, response.status);
	to.response.writeHead(response.status, {
		...headersOf(response),
		...(isBodiless(response) ? {} : { 'content-length': Buffer.byteLength(body) }),
	});
	to.journal.noteEnd(to.record);
	to.response.end(body);
}

/** The body that is sent. */
export function bodyOf(response: ServiceResponse): string | Buffer {
	return isBodiless(response) ? '' : (response.body ?? '');
}

/** A 204 and a 304 have no body (RFC 9110, 6.4.1). */
function isBodiless({ status }: ServiceResponse): boolean {
	return status === 204 || status === 304;
}

/** Sends the headers and the first half of a response. @returns the second half */
export function startResponse(
	to: Destination,
	response: ServiceResponse,
	contentLength: number,
): Buffer {
	const [first, second] = halves(response.body ?? '');
	to.journal.noteStatus(to.record, response.status);
	to.response.writeHead(response.status, {
		...headersOf(response),
		'content-length': contentLength,
	});
	to.response.flushHeaders();
	to.response.write(first);
	return second;
}

export function halves(body: string | Buffer): [Buffer, Buffer] {
	const bytes = Buffer.from(body as string);
	const middle = Math.floor(bytes.length / 2);
	return [bytes.subarray(0, middle), bytes.subarray(middle)];
}

function headersOf({ contentType, headers }: ServiceResponse): Record<string, string> {
	return { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...headers };
}

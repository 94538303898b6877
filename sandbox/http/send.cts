import type { ServerResponse } from 'node:http';
import type { Journal, ReceivedRequest } from '../journal.cts';
import type { Answer } from '../service/answer.cts';

/** Where an answer goes, and where it is noted. */
export interface Destination {
	response: ServerResponse;
	record: ReceivedRequest;
	journal: Journal;
}

/** Sends an answer whole. A 204 and a 304 have no body (RFC 9110, 6.4.1). */
export function endAnswer(to: Destination, answer: Answer): void {
	const bodiless = answer.status === 204 || answer.status === 304;
	const body = bodiless ? '' : (answer.body ?? '');
	to.journal.answers(to.record, answer.status);
	to.response.writeHead(answer.status, {
		...headersOf(answer),
		...(bodiless ? {} : { 'content-length': Buffer.byteLength(body) }),
	});
	to.journal.ends(to.record);
	to.response.end(body);
}

/** Sends the headers and the first half of an answer. @returns the second half */
export function beginAnswer(to: Destination, answer: Answer, contentLength: number): Buffer {
	const [first, second] = halves(answer.body ?? '');
	to.journal.answers(to.record, answer.status);
	to.response.writeHead(answer.status, { ...headersOf(answer), 'content-length': contentLength });
	to.response.flushHeaders();
	to.response.write(first);
	return second;
}

export function halves(body: string | Buffer): [Buffer, Buffer] {
	const bytes = Buffer.from(body as string);
	const middle = Math.floor(bytes.length / 2);
	return [bytes.subarray(0, middle), bytes.subarray(middle)];
}

function headersOf({ contentType, headers }: Answer): Record<string, string> {
	return { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...headers };
}

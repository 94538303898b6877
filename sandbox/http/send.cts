import type { ServerResponse } from 'node:http';
import type { Answer } from '../service/answer.cts';

/** @returns the headers of an answer, its length apart */
export function headersOf({ contentType, headers }: Answer): Record<string, string> {
	return { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...headers };
}

/** Sends an answer whole. A 204 and a 304 have no body (RFC 9110, 6.4.1). */
export function endAnswer(response: ServerResponse, answer: Answer): void {
	const bodiless = answer.status === 204 || answer.status === 304;
	const body = bodiless ? '' : (answer.body ?? '');
	response.writeHead(answer.status, {
		...headersOf(answer),
		...(bodiless ? {} : { 'content-length': Buffer.byteLength(body) }),
	});
	response.end(body);
}

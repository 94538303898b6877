import type { IDataObject } from 'n8n-workflow';

import { RequestError } from '../errors/failure';
import { describeReceived, findServiceMessage, type Body } from '../responses/body';
import { readPage, type Page } from '../responses/page';
import { isFilled, isRecord } from '../responses/shapes';
import type { WireResponse } from './transport';

/** What a response should show, in words that follow "instead of". */
export interface Expectation {
	what: string;
	isIn(object: IDataObject): boolean;
}

interface Asked {
	action: string;
	expected?: Expectation;
}

/** With the ETag of the response where it is strong. */
export function acceptObject({ body, headers: { etag } }: WireResponse, asked: Asked) {
	const { what = 'a JSON object', isIn } = asked.expected ?? {};
	const { value } = body;
	const isExpected = isRecord(value) && isIn?.(value) !== false;
	if (!isExpected || isReport(body, asked)) throw createRefusal(body, asked, what);
	// A weak one doesn't identify a version of a record (RFC 9110, 8.8.1).
	return { object: value, etag: etag?.startsWith('"') ? etag : undefined };
}

/** Accepts a record, a message and nothing: no content, or an empty object or list. */
export function acceptChange({ body }: WireResponse, asked: Asked) {
	const { value, problem } = body;
	if (problem || isReport(body, asked)) throw createRefusal(body, asked, 'a JSON object');
	const isEmpty = !isFilled(value);
	const object = isRecord(value) && !isEmpty ? value : undefined;
	return { object, isEmpty, message: findServiceMessage(value) };
}

export function acceptPage({ body, headers }: WireResponse, asked: Asked): Page {
	const page = readPage(body, headers);
	if (page && (page.entries.length > 0 || !isReport(body, asked))) return page;
	throw createRefusal(body, asked, 'a list');
}

/** @returns what the receiver of the request returns */
export function acceptContent<T>({ body }: WireResponse): T {
	return body.value as T;
}

/** Whether it reports a failure with a status of success. What was asked for proves the opposite. */
function isReport({ value }: Body, { expected }: Asked): boolean {
	if (!isRecord(value) || expected?.isIn(value)) return false;
	const { success, error, errors } = value;
	return success === false || isFilled(error) || isFilled(errors);
}

function createRefusal(body: Body, asked: Asked, expected: string): RequestError {
	const { value, problem: received = describeReceived(value) } = body;
	if (!isReport(body, asked)) return new RequestError({ kind: 'unexpected', expected, received });
	return new RequestError({
		kind: 'undone',
		problem: `The service could not ${asked.action}: ${findServiceMessage(value) ?? 'an error'}`,
		advice:
			'The service reported this failure with a status of success. Check the parameters of the node and the credential, or ask the operator of the service.',
	});
}

import type { IDataObject } from 'n8n-workflow';

import type { RequestFailure, StatusFailure } from '../errors/failure';
import { describeReceived, findServiceMessage, type Body } from '../responses/body';
import { readPage, type Page } from '../responses/page';
import { isFilled, isRecord } from '../responses/shapes';
import type { WireResponse } from './transport';

export type Result<T> = { value: T; failure?: undefined } | { failure: RequestFailure };

/** What a response should show, in words that follow "instead of". */
export interface Expectation {
	what: string;
	isIn(object: IDataObject): boolean;
}

interface Asked {
	action: string;
	expected?: Expectation;
}

/** Accepts a record. */
export function acceptObject(
	{ body, headers: { etag } }: WireResponse,
	asked: Asked,
): Result<{ object: IDataObject; etag?: string }> {
	const { value } = body;
	const { what = 'a JSON object', isIn } = asked.expected ?? {};
	const report = findReport(body, asked);
	if (report !== undefined) return { failure: report };
	if (!isRecord(value) || isIn?.(value) === false) return refuse(body, what);
	// A weak one doesn't identify a version of a record (RFC 9110, 8.8.1).
	return { value: { object: value, etag: etag?.startsWith('"') ? etag : undefined } };
}

/** Accepts a record, a message and nothing: no content, or an empty object or list. */
export function acceptChange(
	{ body }: WireResponse,
	asked: Asked,
): Result<{ object?: IDataObject; message?: string; isEmpty: boolean }> {
	const { value, problem } = body;
	if (problem !== undefined) return refuse(body, 'a JSON object');
	const report = findReport(body, asked);
	if (report !== undefined) return { failure: report };
	const isEmpty = !isFilled(value);
	const object = isRecord(value) && !isEmpty ? value : undefined;
	return { value: { object, isEmpty, message: findServiceMessage(value) } };
}

export function acceptPage({ body, headers }: WireResponse, asked: Asked): Result<Page> {
	const page = readPage(body, headers);
	const report = page?.entries.length ? undefined : findReport(body, asked);
	if (report !== undefined) return { failure: report };
	return page === undefined ? refuse(body, 'a list') : { value: page };
}

/** What a response with the status of a failure says. */
export function toStatusFailure({ status, headers, body }: WireResponse): StatusFailure {
	const { value, problem, isHtml } = body;
	const { code } = isRecord(value) ? value : {};
	return {
		kind: 'status',
		status,
		isHtml,
		serviceMessage: isHtml ? problem : findServiceMessage(value),
		code: typeof code === 'string' ? code : undefined,
		location: headers.location,
		retryAfter: headers['retry-after'],
	};
}

/** A failure with a status of success. What was asked for proves the opposite. */
function findReport({ value }: Body, { action, expected }: Asked): RequestFailure | undefined {
	if (!isRecord(value) || expected?.isIn(value)) return undefined;
	const { success, error, errors } = value;
	if (success !== false && !isFilled(error) && !isFilled(errors)) return undefined;
	return {
		kind: 'undone',
		problem: `The service could not ${action}: ${findServiceMessage(value) ?? 'an error'}`,
		advice:
			'The service reported this failure with a status of success. Check the parameters of the node and the credential, or ask the operator of the service.',
	};
}

function refuse({ value, problem }: Body, expected: string): { failure: RequestFailure } {
	const received = problem ?? describeReceived(value);
	return { failure: { kind: 'unexpected', expected, received } };
}

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

export function acceptObject(
	{ body, headers: { etag } }: WireResponse,
	asked: Asked,
): Result<{ object: IDataObject; etag?: string }> {
	const { value } = body;
	const { what = 'a JSON object', isIn } = asked.expected ?? {};
	const isExpected = isRecord(value) && isIn?.(value) !== false;
	if (!isExpected || isReport(body, asked)) return refuse(body, asked, what);
	// A weak one doesn't identify a version of a record (RFC 9110, 8.8.1).
	return { value: { object: value, etag: etag?.startsWith('"') ? etag : undefined } };
}

/** Accepts a record, a message and nothing: no content, or an empty object or list. */
export function acceptChange(
	{ body }: WireResponse,
	asked: Asked,
): Result<{ object?: IDataObject; message?: string; isEmpty: boolean }> {
	const { value, problem } = body;
	if (problem !== undefined || isReport(body, asked)) return refuse(body, asked, 'a JSON object');
	const isEmpty = !isFilled(value);
	const object = isRecord(value) && !isEmpty ? value : undefined;
	return { value: { object, isEmpty, message: findServiceMessage(value) } };
}

export function acceptPage({ body, headers }: WireResponse, asked: Asked): Result<Page> {
	const page = readPage(body, headers);
	const isUsable = page !== undefined && (page.entries.length > 0 || !isReport(body, asked));
	return isUsable ? { value: page } : refuse(body, asked, 'a list');
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

/** Whether it reports a failure with a status of success. What was asked for proves the opposite. */
function isReport({ value }: Body, { expected }: Asked): boolean {
	if (!isRecord(value) || expected?.isIn(value)) return false;
	const { success, error, errors } = value;
	return success === false || isFilled(error) || isFilled(errors);
}

function refuse(body: Body, asked: Asked, expected: string): { failure: RequestFailure } {
	const { value, problem } = body;
	const received = problem ?? describeReceived(value);
	if (!isReport(body, asked)) return { failure: { kind: 'unexpected', expected, received } };
	return {
		failure: {
			kind: 'undone',
			problem: `The service could not ${asked.action}: ${findServiceMessage(value) ?? 'an error'}`,
			advice:
				'The service reported this failure with a status of success. Check the parameters of the node and the credential, or ask the operator of the service.',
		},
	};
}

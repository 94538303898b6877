import type { IDataObject } from 'n8n-workflow';

import type { RequestFailure, RequestSubject, StatusFailure } from '../errors/failure';
import type { Body } from '../responses/body';
import { readPage, type Page } from '../responses/page';
import { describeBody, findServiceMessage } from '../responses/serviceMessage';
import { isFilled, isRecord } from '../responses/shapes';
import type { WireResponse } from './transport';

export type Result<T> = { value: T; failure?: undefined } | { failure: RequestFailure };

export type Check = (object: IDataObject) => RequestFailure | undefined;

type Subject = Partial<RequestSubject>;

interface Change {
	/** A JSON object with fields. */
	object?: IDataObject;
	/** The service's own words. */
	message?: string;
	/** Whether there was no content, or an empty object or list. */
	isEmpty: boolean;
}

/** Accepts a record. */
export function acceptObject(
	{ body, headers: { etag } }: WireResponse,
	subject?: Subject,
	check?: Check,
): Result<{ object: IDataObject; etag?: string }> {
	const { value } = body;
	if (!isRecord(value)) return refuse(body, 'a JSON object');
	const failure = findReport(body, subject) ?? check?.(value);
	if (failure !== undefined) return { failure };
	// A weak one doesn't identify a version of a record (RFC 9110, 8.8.1).
	return { value: { object: value, etag: etag?.startsWith('"') ? etag : undefined } };
}

/** Accepts a record, a message and nothing. */
export function acceptChange({ body }: WireResponse, subject?: Subject): Result<Change> {
	if (isUnreadable(body)) return { failure: body };
	const failure = findReport(body, subject);
	if (failure !== undefined) return { failure };
	const { kind, value } = body;
	const isEmpty = kind === 'empty' || (kind === 'json' && !isFilled(value));
	const object = isRecord(value) && !isEmpty ? value : undefined;
	return { value: { object, isEmpty, message: findServiceMessage(body) } };
}

export function acceptPage({ body, headers }: WireResponse): Result<Page> {
	const page = readPage(body, headers);
	const failure = page === undefined || page.entries.length === 0 ? findReport(body) : undefined;
	if (failure !== undefined) return { failure };
	return page === undefined ? refuse(body, 'a list') : { value: page };
}

/** A failure with a status of success. What was asked for proves the opposite. */
function findReport(body: Body, subject?: Subject): RequestFailure | undefined {
	const { value } = body;
	if (!isRecord(value) || showsRecord(value, subject)) return undefined;
	const { success, error, errors } = value;
	if (success !== false && !isFilled(error) && !isFilled(errors)) return undefined;
	return { kind: 'reported', message: findServiceMessage(body) ?? 'an error' };
}

function showsRecord(value: IDataObject, { containerId, contactEmail }: Subject = {}): boolean {
	const { container, contact, data, drm, rules } = value;
	const held = isRecord(data) ? data.container : undefined;
	const names = [value, container, contact, data, held]
		.filter(isRecord)
		.flatMap(({ uuid, id, email }) => [uuid, id, email])
		.filter(isFilled);
	const asked = (containerId ?? contactEmail)?.toLowerCase();
	const isNamed = names.some((name) => asked === undefined || String(name).toLowerCase() === asked);
	return isNamed || isRecord(drm) || isRecord(rules);
}

/** What a response with the status of a failure says. */
export function toStatusFailure({ status, headers, body }: WireResponse): StatusFailure {
	const { code } = isRecord(body.value) ? body.value : {};
	return {
		kind: 'status',
		status,
		isHtml: body.kind === 'html',
		serviceMessage: findServiceMessage(body),
		code: typeof code === 'string' ? code : undefined,
		location: headers.location,
		retryAfter: headers['retry-after'],
	};
}

function refuse(body: Body, expected: string): { failure: RequestFailure } {
	if (isUnreadable(body)) return { failure: body };
	return { failure: { kind: 'unexpected', expected, received: describeBody(body) } };
}

function isUnreadable(body: Body): body is Extract<Body, RequestFailure> {
	return body.kind === 'html' || body.kind === 'invalidJson' || body.kind === 'tooLarge';
}

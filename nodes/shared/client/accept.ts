import type { IDataObject } from 'n8n-workflow';

import type { RequestFailure, RequestSubject, StatusFailure } from '../errors/failure';
import type { Body } from '../responses/body';
import { readPage, type Page } from '../responses/page';
import { describeBody, findServiceMessage } from '../responses/serviceMessage';
import { isFilled, isObject, isRecord } from '../responses/shapes';
import type { WireResponse } from './transport';

export type Result<T> = { value: T; failure?: undefined } | { failure: RequestFailure };

export type Check = (object: IDataObject) => RequestFailure | undefined;

type Subject = Partial<RequestSubject>;

interface Change {
	/** A JSON object with fields. */
	object?: IDataObject;
	/** The service's own words. */
	message?: string;
	/** Whether there was no content, or an empty object. */
	isEmpty: boolean;
	/** A strong one. */
	etag?: string;
}

/** Accepts a record. */
export function acceptObject(
	{ body, headers }: WireResponse,
	subject?: Subject,
	check?: Check,
): Result<{ object: IDataObject; etag?: string }> {
	const { value } = body;
	if (!isRecord(value)) return refuse(body, 'a JSON object');
	if (saysFailure(value, subject)) return reportFailure(body);
	const failure = check?.(value);
	if (failure !== undefined) return { failure };
	return { value: { object: value, etag: getStrongETag(headers) } };
}

/** Accepts a record, a message and nothing. */
export function acceptChange({ body, headers }: WireResponse, subject?: Subject): Result<Change> {
	const { kind, value } = body;
	if (kind === 'html' || kind === 'invalidJson' || kind === 'tooLarge') return { failure: body };
	if (isRecord(value) && saysFailure(value, subject)) return reportFailure(body);
	const isEmpty = kind === 'empty' || (isObject(value) && !isFilled(value));
	const object = isRecord(value) && !isEmpty ? value : undefined;
	const message = findServiceMessage(body);
	return { value: { object, isEmpty, message, etag: getStrongETag(headers) } };
}

export function acceptPage({ body, headers }: WireResponse): Result<Page> {
	const page = readPage(body, headers);
	const isEmpty = page === undefined || page.entries.length === 0;
	if (isEmpty && isRecord(body.value) && saysFailure(body.value)) return reportFailure(body);
	return page === undefined ? refuse(body, 'a list') : { value: page };
}

/** A failure with a status of success. What was asked for proves the opposite. */
function saysFailure(value: IDataObject, subject?: Subject): boolean {
	const { success, error, errors } = value;
	const isSaid = success === false || isFilled(error) || isFilled(errors);
	return isSaid && !showsRecord(value, subject);
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
	const { kind } = body;
	if (kind === 'html' || kind === 'invalidJson' || kind === 'tooLarge') return { failure: body };
	return { failure: { kind: 'unexpected', expected, received: describeBody(body) } };
}

function reportFailure(body: Body): { failure: RequestFailure } {
	return { failure: { kind: 'reported', message: findServiceMessage(body) ?? 'an error' } };
}

/** A weak one doesn't identify a version of a record (RFC 9110, 8.8.1). */
function getStrongETag({ etag }: WireResponse['headers']): string | undefined {
	return etag?.startsWith('"') ? etag : undefined;
}

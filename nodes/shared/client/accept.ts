import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';

import type { RequestFailure } from '../errors/failure';
import type { Body } from '../responses/body';
import { getOutcome, type Outcome } from '../responses/outcome';
import { getPageInfo, type PageInfo } from '../responses/pageInfo';
import { describeBody, findServiceMessage } from '../responses/serviceMessage';
import { findList, isFilled, isRecord } from '../responses/shapes';
import type { WireResponse } from './transport';

export interface Page {
	entries: unknown[];
	/** Bytes that it takes, about. */
	memory: number;
	info: PageInfo;
}

export type Result<T> = { value: T; failure?: undefined } | { failure: RequestFailure };

const ADVICE: Partial<Record<NonNullable<Outcome>, string>> = {
	failed:
		'Check the parameters of the node and the credential, or ask the operator of the service.',
	pending: 'The service may do it later.',
};

export type Check = (object: IDataObject) => RequestFailure | undefined;

export function acceptObject(
	{ body, status }: WireResponse,
	method: IHttpRequestMethods,
	check?: Check,
): Result<IDataObject> {
	const outcome = getOutcome(body, status, method);
	// PHP writes an object without fields as a list.
	const value = Array.isArray(body.value) && body.value.length === 0 ? {} : body.value;
	const isUndone = outcome === 'failed' || (method === 'POST' && outcome === 'pending');
	if (isUndone || !isRecord(value)) return refuse(body, 'a JSON object', outcome);
	const failure = check?.(value);
	return failure === undefined ? { value } : { failure };
}

/** Accepts nothing, text and JSON: an object, where it has fields, what became of the change, and the service's own words. */
export function acceptChange({ body, status }: WireResponse, method: IHttpRequestMethods) {
	const outcome = getOutcome(body, status, method);
	if (isUnusable(body) || outcome === 'failed') return refuse(body, 'an API response', outcome);
	const object = isRecord(body.value) && isFilled(body.value) ? body.value : undefined;
	return { value: { object, outcome, message: findServiceMessage(body) } };
}

export function acceptPage({ body, headers, status, memory }: WireResponse, canBeEmpty = false) {
	const value = body.kind === 'empty' ? null : body.value;
	const isMissing = value === null && !canBeEmpty;
	const entries = isMissing ? undefined : findList(value);
	// Some entries can be there although the list failed; what they say is about themselves.
	const rest = { kind: 'json', value: value === entries ? null : value } as const;
	const outcome = getOutcome(rest, status, 'POST');
	if (entries === undefined || outcome === 'failed') return refuse(body, 'a list', outcome);
	return { value: { entries, memory, info: getPageInfo(status, headers, value, entries) } };
}

function isUnusable(body: Body) {
	return body.kind === 'html' || body.kind === 'invalidJson' || body.kind === 'tooLarge';
}

function refuse(body: Body, expected: string, outcome: Outcome): { failure: RequestFailure } {
	if (isUnusable(body)) return { failure: body };
	const advice = outcome && ADVICE[outcome];
	const received = describeBody(body, outcome);
	return { failure: { kind: 'unexpected', expected, received, advice } };
}

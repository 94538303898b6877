import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';

import type { RequestFailure } from '../errors/failure';
import { getOutcome, type Outcome } from '../responses/outcome';
import { getPageInfo, type PageInfo } from '../responses/pageInfo';
import type { Body } from '../responses/body';
import { describeBody, findServiceMessage } from '../responses/serviceMessage';
import { findList, isRecord } from '../responses/shapes';
import type { WireResponse } from './transport';

export interface Page {
	entries: unknown[];
	/** Bytes that it takes, about. */
	memory: number;
	info: PageInfo;
}

export type Result<T> = { value: T; failure?: undefined } | { failure: RequestFailure };

/** Returns what a response with a status of success holds, or why it can't be used. */
export type Accept<T> = (response: WireResponse) => Result<T> | Promise<Result<T>>;

/** What the service says of a change. */
export interface Change {
	/** Where the response is one with fields. */
	object?: IDataObject;
	/** Whether it is plainly done, or not done yet. */
	outcome: Outcome;
	/** The service's own words. */
	message?: string;
}

/** What to do where it is the API that answers. */
const ADVICE: Partial<Record<NonNullable<Outcome>, string>> = {
	failed:
		'Check the parameters of the node and the credential, or ask the operator of the service.',
	pending: 'The service may do it later.',
};

/** Accepts one JSON object, in which the check finds nothing. */
export function acceptObject(
	method: IHttpRequestMethods,
	check: (object: IDataObject) => RequestFailure | undefined,
): Accept<IDataObject> {
	return ({ body, status }) => {
		const outcome = getOutcome(body, status, method);
		const isPending = method === 'POST' && outcome === 'pending';
		// PHP writes an object without fields as a list.
		const value = Array.isArray(body.value) && body.value.length === 0 ? {} : body.value;
		if (!isRecord(value) || outcome === 'failed' || isPending) {
			return { failure: toFailure(body, 'a JSON object', outcome) };
		}
		const failure = check(value);
		return failure === undefined ? { value } : { failure };
	};
}

/** Accepts nothing, text and JSON. */
export function acceptChange(method: IHttpRequestMethods): Accept<Change> {
	return ({ body, status }) => {
		const { kind, value } = body;
		const outcome = getOutcome(body, status, method);
		if (['html', 'invalidJson', 'tooLarge'].includes(kind) || outcome === 'failed') {
			return { failure: toFailure(body, 'an API response', outcome) };
		}
		const hasFields = isRecord(value) && Object.keys(value).length > 0;
		const message = findServiceMessage(body);
		return { value: { object: hasFields ? value : undefined, outcome, message } };
	};
}

/** Accepts a list. */
export function acceptPage(isEmptyAllowed = false) {
	return ({ body, headers, status, memory }: WireResponse): Result<Page> => {
		const value = body.kind === 'empty' ? null : body.value;
		const isMissing = value === null && !isEmptyAllowed;
		const entries = isMissing ? undefined : findList(value);
		const rest = { kind: 'json', value: omitEntries(value, entries) } as const;
		const outcome = getOutcome(rest, status, 'POST');
		if (entries === undefined || outcome === 'failed') {
			return { failure: toFailure(body, 'a list', outcome) };
		}
		const info = getPageInfo(status, headers, value, entries);
		return { value: { entries, memory, info } };
	};
}

function toFailure(body: Body, expected: string, outcome?: Outcome): RequestFailure {
	if (body.kind === 'html') return { kind: 'html', title: body.title };
	if (body.kind === 'invalidJson') return { kind: 'invalidJson', reason: body.reason };
	if (body.kind === 'tooLarge') return { kind: 'tooLarge', received: body.received };
	const advice = outcome && ADVICE[outcome];
	return { kind: 'unexpected', expected, received: describeBody(body, outcome), advice };
}

/** What stands beside the entries of a list: some can be there although the list failed. */
function omitEntries(value: unknown, entries: unknown[] | undefined): unknown {
	if (value === entries) return [];
	if (!isRecord(value)) return value;
	const others = Object.entries(value).filter(([, held]) => held !== entries);
	return Object.fromEntries(others.map(([key, held]) => [key, omitEntries(held, entries)]));
}

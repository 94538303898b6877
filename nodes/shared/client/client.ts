import type { IDataObject, INode } from 'n8n-workflow';

import type { RequestFailure } from '../errors/failure';
import { getFailureCause, isMissingRecord, isOutcomeUnknown } from '../errors/failure';
import type { RequestSubject } from '../errors/messages';
import { getErrorMessage } from '../errors/messages';
import { createApiError } from '../errors/nodeErrors';
import type { PageInfo } from '../responses/pageInfo';
import { getPageInfo } from '../responses/pageInfo';
import type { Body } from '../responses/parseBody';
import { parseBody } from '../responses/parseBody';
import { decodeBody } from '../responses/readBody';
import type { Redactor } from '../responses/redact';
import { describeBody, findServiceMessage } from '../responses/serviceMessage';
import { findList, isRecord, reportsFailure } from '../responses/shapes';
import type { Connection } from './connection';
import { delay } from './delay';
import type { Pace } from './pace';
import { buildPath } from './path';
import { getRetryDecision, isRejectedForNow, parseRetryAfter } from './retry';
import { takeBreak } from './takeBreak';
import type { WireRequest, WireResponse, WireSettings } from './transport';
import { exchange } from './transport';

/** How long a body can be, decompressed, in bytes: that of a page of a list, and any other. */
const MAX_PAGE_BYTES = 64_000_000;
const MAX_BYTES = 8_000_000;

/** A larger body takes so long to parse that n8n does something else before and after it. */
const LARGE_BODY = 500_000;

export interface ServiceRequest extends Omit<WireRequest, 'url' | 'maxBytes'> {
	/** Encoded path below the base URL, or an absolute URL on the same origin. */
	path: string;
	/** What the request does, in words that follow "to": "get the container". */
	action: string;
	/** How long the response can be, decompressed. */
	maxBytes?: number;
	/** False for a request that creates something: it is not sent again when its outcome is unknown. */
	idempotent?: boolean;
	/** Called when an attempt might have been carried out although it failed. */
	onUnknownOutcome?: () => void;
	/** Whether an earlier request might have done the same. */
	mayBeDone?: boolean;
	subject?: Partial<RequestSubject>;
}

export interface PageRequest extends ServiceRequest {
	/** Whether an empty response counts as an empty list. */
	isEmptyAllowed?: boolean;
}

/** One page of a list. */
export interface Page {
	entries: unknown[];
	headers: WireResponse['headers'];
	/** Bytes of the body. */
	size: number;
	info: PageInfo;
}

/** A response with a status of success. */
interface ServiceResponse {
	headers: WireResponse['headers'];
	body: Body;
	/** Bytes of the body. */
	size: number;
}

/** For whom a client sends requests: an item, a poll or a picker. */
export interface ClientSettings extends Omit<WireSettings, 'connection' | 'context'> {
	context: WireSettings['context'] & { getNode(): INode };
	maxRetries: number;
	/** The user to act for, where it is not that of the API key. */
	chosenUser?: string;
	/** When nobody waits any more (milliseconds since 1970): a retry after it is not made. */
	deadline?: number;
	itemIndex?: number;
}

/** What the clients with one credential share. */
interface Shared {
	connection: Connection;
	pace: Pace;
	redactor: Redactor;
	/** Called when the service refuses a request for a user. */
	onRefusal(): void;
}

type Result<T> = { value: T; failure?: undefined } | { failure: RequestFailure };

/** What came of one attempt; with `retryAfter`, the milliseconds to wait for the next one. */
type Attempt<T> = Result<T> & { retryAfter?: number };

/** Returns what a response with a status of success holds, or why it can't be used. */
type Accept<T> = (response: ServiceResponse) => Result<T>;

/** Sends every request of every operation, picker and poll. */
export class ServiceClient {
	constructor(
		private readonly settings: ClientSettings,
		private readonly shared: Shared,
	) {}

	get origin(): string {
		return new URL(this.shared.connection.baseUrl).origin;
	}

	resolveUrl(path: string): string {
		return path.startsWith('https://') ? path : `${this.shared.connection.baseUrl}${path}`;
	}

	/**
	 * Sends a request whose response must be one JSON object.
	 *
	 * @param check says why an object can't be what was asked for
	 * @throws NodeApiError also for any other response
	 */
	async requestObject(
		request: ServiceRequest,
		check: (object: IDataObject) => RequestFailure | undefined = () => undefined,
	): Promise<IDataObject> {
		return await this.send<IDataObject>(request, ({ body }) => {
			if (!isRecord(body.value) || reportsFailure(body.value, true)) {
				return { failure: toFailure(body, 'a JSON object') };
			}
			const failure = check(body.value);
			return failure === undefined ? { value: body.value } : { failure };
		});
	}

	/**
	 * Sends a request whose response can be empty, text or JSON (docs/openapi.yaml, updateDrmRules, deleteContact).
	 *
	 * @returns the JSON object if there is one with fields
	 * @throws NodeApiError also for an HTML page, invalid JSON and an object that reports a failure
	 */
	async requestOptionalObject(request: ServiceRequest): Promise<IDataObject | undefined> {
		const isRecordExpected = request.method !== 'DELETE';
		return await this.send(request, ({ body }) => {
			const { kind, value } = body;
			if (kind === 'html' || kind === 'invalidJson' || reportsFailure(value, isRecordExpected)) {
				return { failure: toFailure(body, 'an API response') };
			}
			return { value: isRecord(value) && Object.keys(value).length > 0 ? value : undefined };
		});
	}

	/**
	 * Sends a request whose response must contain a list (`findList`), or be empty where that is allowed.
	 *
	 * @throws NodeApiError also for a response without a list
	 */
	async requestPage(request: PageRequest): Promise<Page> {
		return await this.send<Page>(
			{ maxBytes: MAX_PAGE_BYTES, ...request },
			({ body, headers, size }) => {
				const value = body.kind === 'empty' ? null : body.value;
				const isMissing = value === null && !request.isEmptyAllowed;
				const entries = isMissing ? undefined : findList(value);
				if (entries === undefined || (entries.length === 0 && reportsFailure(value))) {
					return { failure: toFailure(body, 'a list') };
				}
				return {
					value: { entries, headers, size, info: getPageInfo(value, headers['x-pagination']) },
				};
			},
		);
	}

	/** The error of a request whose response turned out not to be what was asked for. */
	createError(request: ServiceRequest, failure: RequestFailure, attempts = 1): Error {
		const { context, itemIndex, chosenUser, requestOptions } = this.settings;
		const { redactor } = this.shared;
		const clean = <T extends object>(texts: T): T => mapTexts(texts, redactor);
		const isOfChosenUser =
			chosenUser !== undefined && request.path.includes(`${buildPath(['users', chosenUser])}/`);
		const { message, description } = getErrorMessage(clean(failure), {
			...clean({ ...request.subject, ...(isOfChosenUser ? { chosenUser } : {}) }),
			action: request.action,
			uploadSize: request.upload?.size,
			createsContainer: request.idempotent === false,
			isChange: request.method !== 'GET',
			origin: this.origin,
			attempts,
			hasProxy: requestOptions?.proxy !== undefined,
		});
		return createApiError(context.getNode(), {
			message: redactor.redactText(message),
			description: redactor.redactText(description),
			status: failure.status,
			itemIndex,
			failure: getFailureCause(failure, parseRetryAfter(failure.retryAfter, Date.now())),
		});
	}

	/** Redacts records of the service in place, before they leave the node. */
	async redact(records: IDataObject[]): Promise<IDataObject[]> {
		for (const record of records) {
			this.shared.redactor.redactJson(record);
			await takeBreak();
		}
		return records;
	}

	redactText(text: string): string {
		return this.shared.redactor.redactText(text);
	}

	/** Redacts text of the service for people: one short line. */
	redactLine(text: string): string {
		return this.shared.redactor.redactLine(text);
	}

	/** Sends a request, again where getRetryDecision says so. @throws NodeApiError when it fails */
	private async send<T>(request: ServiceRequest, accept: Accept<T>): Promise<T> {
		const { pace, onRefusal } = this.shared;
		let { mayBeDone = false } = request;
		for (let attempts = 1; ; attempts += 1) {
			const task = async () => await this.attempt({ ...request, mayBeDone }, accept, attempts);
			const attempt = await pace.run(task);
			if (attempt.failure === undefined) return attempt.value;
			const { failure, retryAfter } = attempt;
			mayBeDone ||= isOutcomeUnknown(failure);
			if (retryAfter === undefined) {
				const isRefused = failure.status === 403 || failure.status === 404;
				const isOfUser = this.resolveUrl(request.path).startsWith(this.resolveUrl('/users/'));
				if (isRefused && isOfUser) onRefusal();
				throw this.createError(request, failure, attempts);
			}
			await delay(retryAfter, pace.signal);
		}
	}

	/** Sends a request once. What others must know of it, they know before it frees its slot for one of them. */
	private async attempt<T>(
		request: ServiceRequest,
		accept: Accept<T>,
		attempts: number,
	): Promise<Attempt<T>> {
		const { maxRetries, deadline = Number.POSITIVE_INFINITY } = this.settings;
		const { pace } = this.shared;
		const { blocked } = pace;
		if (blocked !== undefined && Date.now() < blocked.until) return { failure: blocked.failure };
		const result = await this.sendOnce(request, accept);
		const { failure } = result;
		const isRejected = failure?.kind === 'network' || isRejectedForNow(failure?.status);
		if (!isRejected) pace.onSuccess();
		if (failure === undefined) return result;
		if (isOutcomeUnknown(failure)) request.onUnknownOutcome?.();
		const { idempotent = true } = request;
		const attemptCount = attempts - 1;
		const decision = getRetryDecision(failure, { attemptCount, maxRetries, idempotent });
		if (!decision.retry) {
			const { blockedFor } = decision;
			if (blockedFor !== undefined) pace.blocked = { until: Date.now() + blockedFor, failure };
			return { failure };
		}
		if (Date.now() + decision.delay > deadline) return { failure };
		if (!decision.pauseAll) return { failure, retryAfter: decision.delay };
		pace.pauseFor(decision.delay);
		return { failure, retryAfter: 0 };
	}

	private async sendOnce<T>(request: ServiceRequest, accept: Accept<T>): Promise<Result<T>> {
		const { connection } = this.shared;
		const { maxBytes = MAX_BYTES, path } = request;
		const wireRequest = { ...request, url: this.resolveUrl(path), maxBytes };
		const response = await exchange(wireRequest, { ...this.settings, connection });
		if ('failure' in response) return response;
		const { statusCode: status, headers, bytes } = response;
		const contentType = headers['content-type'];
		const size = bytes.byteLength;
		const text = decodeBody(bytes, contentType);
		if (size > LARGE_BODY) await takeBreak(0);
		const body = parseBody(text, contentType);
		if (size > LARGE_BODY) await takeBreak(0);
		if (status >= 200 && status < 300) return accept({ headers, body, size });
		const failure: RequestFailure = {
			kind: 'status',
			status,
			isPage: body.kind === 'html' || body.kind === 'text',
			serviceMessage: findServiceMessage(body),
			location: headers.location,
			retryAfter: headers['retry-after'],
		};
		// An earlier attempt deleted the record although its response was lost.
		const isDeleted = request.mayBeDone && request.method === 'DELETE' && isMissingRecord(failure);
		return isDeleted ? accept({ headers, body: { kind: 'empty' }, size }) : { failure };
	}
}

function toFailure(body: Body, expected: string): RequestFailure {
	if (body.kind === 'html') return { kind: 'html', title: body.title };
	if (body.kind === 'invalidJson') return { kind: 'invalidJson', reason: body.reason };
	return { kind: 'unexpected', expected, received: describeBody(body) };
}

/** A copy whose texts are fit for a message. */
function mapTexts<T extends object>(texts: T, redactor: Redactor): T {
	const entries = Object.entries(texts).map(([key, value]: [string, unknown]) => [
		key,
		typeof value === 'string' ? redactor.redactLine(value) : value,
	]);
	return Object.fromEntries(entries) as T;
}

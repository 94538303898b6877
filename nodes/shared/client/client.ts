import type {
	IAllExecuteFunctions,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	INode,
} from 'n8n-workflow';

import type { RequestFailure } from '../errors/failure';
import { getFailureCause, isMissingRecord, isOutcomeUnknown } from '../errors/failure';
import type { RequestSubject } from '../errors/messages';
import { getErrorMessage } from '../errors/messages';
import { createApiError } from '../errors/nodeErrors';
import type { Outcome } from '../responses/outcome';
import { getOutcome } from '../responses/outcome';
import type { PageInfo } from '../responses/pageInfo';
import { getPageInfo } from '../responses/pageInfo';
import type { Body } from '../responses/parseBody';
import { parseBody } from '../responses/parseBody';
import type { BodyLimits, ReceivedBody } from '../responses/readBody';
import { ERROR_LIMITS, PAGE_LIMITS, readBody, RECORD_LIMITS } from '../responses/readBody';
import type { Redactor } from '../responses/redact';
import { describeBody, findServiceMessage } from '../responses/serviceMessage';
import { findList, isRecord } from '../responses/shapes';
import type { Connection } from './connection';
import { CREDENTIAL } from './connection';
import { Deadline } from './deadline';
import type { Limiter } from './limiter';
import { classifyNetworkError, findRefusal } from './networkError';
import { buildPath } from './path';
import type { RetryDecision } from './retry';
import { getRetryDecision, isRejectedForNow, parseRetryAfter } from './retry';
import { takeBreak } from './takeBreak';

/** How long n8n waits for data unless the user sets another timeout, in milliseconds. */
const DEFAULT_TIMEOUT = 300_000;

/** A body that is streamed: opened for each attempt, closed after it. */
export interface Upload {
	readonly size: number;
	/** Whether a refusal can come while the body is sent. */
	readonly isLarge: boolean;
	/** The error of reading it. */
	readonly failure?: Error;
	/** To be called when all of it was handed over. */
	onSent?: () => void;
	/** Looks up what the upload needs; called when a slot is free, so that few do so at a time. */
	prepare(): Promise<void>;
	close(): void;
}

export interface ServiceRequest {
	method: IHttpRequestMethods;
	/** Encoded path below the base URL, or an absolute URL on the same origin. */
	path: string;
	/** What the request does, in words that follow "to": "get the container". */
	action: string;
	json?: IDataObject;
	upload?: Upload;
	/** Whether another request lends it its slot, since it waits for it. */
	hasSlot?: boolean;
	/** How large the response can be. */
	limits?: BodyLimits;
	/** False for a request that creates something: it is not sent again when its outcome is unknown. */
	idempotent?: boolean;
	/** Called when an attempt might have been carried out although it failed. */
	onUnknownOutcome?: () => void;
	/** Whether the caller goes on without a record that was not found. */
	mayBeMissing?: boolean;
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
	/** Bytes that it takes, about. */
	memory: number;
	info: PageInfo;
}

/** A response with a status of success. */
interface ServiceResponse {
	status: number;
	headers: Record<string, string | undefined>;
	body: Body;
	/** Bytes that the body takes, about. */
	memory: number;
}

/** For whom a client sends requests: an item, a poll or a picker. */
export interface Caller {
	context: Pick<IAllExecuteFunctions, 'helpers'> & { getNode(): INode };
	maxRetries: number;
	/** Milliseconds that the service has for a whole response, once it has the whole request. */
	responseTimeout: number;
	/** Ends every request. */
	cancelled?: AbortSignal;
	/** Whether another user must not take the place of the one that the requests begin with. */
	keepsUser?: boolean;
	/** The user to act for, where it is not that of the API key. */
	chosenUser?: string;
	/** When the caller stops waiting (milliseconds since 1970): a retry after it is not made. */
	deadline?: number;
	/** Place in the queue: lower goes first. */
	priority?: number;
	/** Timeout, proxy and the like. */
	requestOptions?: Partial<IHttpRequestOptions>;
	itemIndex?: number;
	/** Called when a request fails permanently, before another one takes its slot. */
	onFailure?: () => void;
}

/** Until when (milliseconds since 1970) the service rejects every request, and how it said so. */
export interface RateLimit {
	blocked?: { until: number; failure: RequestFailure };
}

type Result<T> = { value: T; failure?: undefined } | { failure: RequestFailure };

/** What came of one attempt, and what to do next. */
type Attempt<T> =
	| { value: T; failure?: undefined }
	| { failure: RequestFailure; decision: RetryDecision; renewedPath?: string };

/** Returns what a response with a status of success holds, or why it can't be used. */
type Accept<T> = (response: ServiceResponse) => Result<T>;

/** Asks again for the user of the API key, where the one in a URL may not be the right one any more. */
interface UserSource {
	/** @returns the URL with another user, or undefined where it would be the same */
	renewUser(url: string, client: ServiceClient): Promise<string | undefined>;
}

/** Sends every request of every operation, picker and poll. */
export class ServiceClient {
	constructor(
		private readonly settings: Caller & {
			users?: UserSource;
			connection: Connection;
			limiter: Limiter;
			redactor: Redactor;
			rateLimit: RateLimit;
		},
	) {}

	get origin(): string {
		return new URL(this.settings.connection.baseUrl).origin;
	}

	resolveUrl(path: string): string {
		return path.startsWith('https://') ? path : `${this.settings.connection.baseUrl}${path}`;
	}

	/**
	 * Sends a request whose response must be one JSON object.
	 *
	 * @param check says why an object can't be what was asked for
	 * @throws NodeApiError also for any other response, and for a new record that is not done yet
	 */
	async requestObject(
		request: ServiceRequest,
		check: (object: IDataObject) => RequestFailure | undefined = () => undefined,
	): Promise<IDataObject> {
		return await this.send<IDataObject>(request, ({ body, status }) => {
			const outcome = getOutcome(body, status, request.method);
			const isRefused =
				outcome === 'failed' || (request.method === 'POST' && outcome === 'pending');
			if (!isRecord(body.value) || isRefused) {
				return { failure: this.toFailure(body, 'a JSON object', outcome) };
			}
			const failure = check(body.value);
			if (failure !== undefined) return { failure };
			return { value: body.value };
		});
	}

	/**
	 * Sends a request whose response can be empty, text or JSON (docs/openapi.yaml, updateDrmRules, deleteContact).
	 *
	 * @returns the JSON object if there is one with fields
	 * @throws NodeApiError as requestChange does
	 */
	async requestOptionalObject(request: ServiceRequest): Promise<IDataObject | undefined> {
		return (await this.requestChange(request)).object;
	}

	/**
	 * As requestOptionalObject, with what the response says of the request: that it is plainly done, or not done yet.
	 *
	 * @throws NodeApiError also for an HTML page, invalid JSON and a response that reports a failure
	 */
	async requestChange(
		request: ServiceRequest,
	): Promise<{ object?: IDataObject; outcome: Outcome }> {
		return await this.send<{ object?: IDataObject; outcome: Outcome }>(
			request,
			({ body, status }) => {
				const { kind, value } = body;
				const outcome = getOutcome(body, status, request.method);
				if (kind === 'html' || kind === 'invalidJson' || outcome === 'failed') {
					return { failure: this.toFailure(body, 'an API response', outcome) };
				}
				const hasFields = isRecord(value) && Object.keys(value).length > 0;
				return { value: { object: hasFields ? value : undefined, outcome } };
			},
		);
	}

	/**
	 * Sends a request whose response must contain a list (`findList`), or be empty where that is allowed.
	 *
	 * @throws NodeApiError also for a response without a list
	 */
	async requestPage(request: PageRequest): Promise<Page> {
		return await this.send<Page>(
			{ limits: PAGE_LIMITS, ...request },
			({ body, headers, status, memory }) => {
				const value = body.kind === 'empty' ? null : body.value;
				const isMissing = value === null && !request.isEmptyAllowed;
				const entries = isMissing ? undefined : findList(value);
				const isFailed = entries?.length === 0 && getOutcome(body, status, 'DELETE') === 'failed';
				if (entries === undefined || isFailed) return { failure: this.toFailure(body, 'a list') };
				const info = getPageInfo({ status, headers, value, entries });
				return { value: { entries, memory, info } };
			},
		);
	}

	/** The error of a request whose response turned out not to be what was asked for. */
	createError(request: ServiceRequest, failure: RequestFailure, attempts = 1): Error {
		const { context, redactor, itemIndex, chosenUser, requestOptions } = this.settings;
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
			this.settings.redactor.redactJson(record);
			await takeBreak();
		}
		return records;
	}

	redactText(text: string): string {
		return this.settings.redactor.redactText(text);
	}

	/** Redacts text of the service for people: one short line. */
	redactLine(text: string): string {
		return this.settings.redactor.redactLine(text);
	}

	/** Sends a request, again where getRetryDecision says so. @throws NodeApiError when it fails */
	private async send<T>(request: ServiceRequest, accept: Accept<T>): Promise<T> {
		const { limiter, maxRetries, priority = 0 } = this.settings;
		let { mayBeDone = false } = request;
		for (let attemptCount = 0; ; attemptCount += 1) {
			const isLastAttempt = attemptCount >= maxRetries;
			const task = async () => await this.attempt(request, accept, attemptCount, mayBeDone);
			const attempt = await (request.hasSlot ? task() : limiter.run(priority, task, isLastAttempt));
			if (attempt.failure === undefined) return attempt.value;
			const { failure, decision, renewedPath } = attempt;
			mayBeDone ||= isOutcomeUnknown(failure);
			if (renewedPath !== undefined) {
				return await this.send({ ...request, path: renewedPath }, accept);
			}
			if (!decision.retry) throw this.createError(request, failure, attemptCount + 1);
			if (decision.pauseAll) await limiter.waitUntilResumed();
			else await limiter.delay(decision.delay);
		}
	}

	/** The URL of a refused request for the user that the API key has now; undefined where it would be the same. */
	private async renewPath(
		request: ServiceRequest,
		failure: RequestFailure,
	): Promise<string | undefined> {
		if (failure.status !== 403 && failure.status !== 404) return undefined;
		return await this.settings.users?.renewUser(this.resolveUrl(request.path), this);
	}

	/** Everything that other requests must know of an attempt happens before it frees its slot for one of them. */
	private async attempt<T>(
		request: ServiceRequest,
		accept: Accept<T>,
		attemptCount: number,
		mayBeDone: boolean,
	): Promise<Attempt<T>> {
		const {
			rateLimit: { blocked },
			onFailure,
		} = this.settings;
		let isSettled = false;
		try {
			const attempt: Attempt<T> =
				blocked !== undefined && Date.now() < blocked.until
					? { failure: blocked.failure, decision: { retry: false } }
					: this.settle(request, await this.sendOnce(request, accept, mayBeDone), attemptCount);
			if (
				attempt.failure === undefined ||
				attempt.decision.retry ||
				(request.mayBeMissing && isMissingRecord(attempt.failure))
			) {
				isSettled = true;
				return attempt;
			}
			const renewedPath = await this.renewPath(request, attempt.failure);
			isSettled = renewedPath !== undefined;
			return { ...attempt, renewedPath };
		} finally {
			if (!isSettled) onFailure?.();
		}
	}

	/** Decides what follows an attempt, and tells those who must know. */
	private settle<T>(request: ServiceRequest, result: Result<T>, attemptCount: number): Attempt<T> {
		const { limiter, maxRetries, rateLimit, deadline = Number.POSITIVE_INFINITY } = this.settings;
		const { failure } = result;
		const isRejected = failure?.kind === 'network' || isRejectedForNow(failure?.status);
		if (!isRejected) limiter.onSuccess();
		if (failure === undefined) return result;
		const { idempotent = true } = request;
		let decision = getRetryDecision(failure, { attemptCount, maxRetries, idempotent });
		if (decision.retry && Date.now() + decision.delay > deadline) decision = { retry: false };
		if (decision.retry && decision.pauseAll) limiter.pauseFor(decision.delay);
		if (decision.blockedFor !== undefined) {
			rateLimit.blocked = { until: Date.now() + decision.blockedFor, failure };
		}
		if (isOutcomeUnknown(failure)) request.onUnknownOutcome?.();
		return { failure, decision };
	}

	private async sendOnce<T>(
		request: ServiceRequest,
		accept: Accept<T>,
		mayBeDone: boolean,
	): Promise<Result<T>> {
		const response = await this.exchange(request);
		if ('failure' in response) return response;
		const { statusCode: status, headers, received } = response;
		const body: Body = received
			? await parseBody(received, headers['content-type'], takeBreak)
			: { kind: 'empty' };
		const memory = received?.outline.memory ?? 0;
		if (status >= 200 && status < 300) return accept({ status, headers, body, memory });
		const serviceMessage = findServiceMessage(body);
		const { location, 'retry-after': retryAfter } = headers;
		const isPage = body.kind === 'html' || body.kind === 'text';
		const failure: RequestFailure = {
			kind: 'status',
			status,
			isPage,
			serviceMessage,
			location,
			retryAfter,
		};
		// An earlier attempt deleted the record although its response was lost.
		const isDeleted = mayBeDone && request.method === 'DELETE' && isMissingRecord(failure);
		const deleted = { status: 204, headers, body: { kind: 'empty' as const }, memory };
		return isDeleted ? accept(deleted) : { failure };
	}

	/** Sends a request once. @throws UserError when a file can't be read */
	private async exchange(
		request: ServiceRequest,
	): Promise<FullResponse | { failure: RequestFailure }> {
		const { context, connection, responseTimeout, cancelled } = this.settings;
		const { upload, limits = RECORD_LIMITS } = request;
		await upload?.prepare();
		const deadline = new Deadline(responseTimeout, cancelled);
		if (upload === undefined) deadline.start();
		else upload.onSent = () => deadline.start();
		// In an execution, n8n replaces the signal of a request by this one.
		const caller = Object.create(context, {
			getExecutionCancelSignal: { value: () => deadline.signal },
		}) as IAllExecuteFunctions;
		try {
			const response = (await context.helpers.httpRequestWithAuthentication.call(
				caller,
				CREDENTIAL,
				this.getRequestOptions(request, deadline.signal),
				{ credentialsDecrypted: connection.credential },
			)) as StreamedResponse;
			deadline.start();
			return await readResponse(response, limits);
		} catch (error) {
			if (upload?.failure !== undefined) throw upload.failure;
			if (deadline.isOver) {
				const seconds = responseTimeout / 1000;
				return { failure: { kind: 'network', reason: 'timeout', code: 'ETIMEDOUT', seconds } };
			}
			const refusal = upload === undefined ? undefined : findRefusal(error);
			if (refusal !== undefined) return refusal;
			return { failure: { kind: 'network', ...classifyNetworkError(error) } };
		} finally {
			deadline.end();
			upload?.close();
		}
	}

	private toFailure(body: Body, expected: string, outcome?: Outcome): RequestFailure {
		if (body.kind === 'html') return { kind: 'html', title: body.title };
		if (body.kind === 'invalidJson') return { kind: 'invalidJson', reason: body.reason };
		return { kind: 'unexpected', expected, received: describeBody(body, outcome) };
	}

	private getRequestOptions(
		{ method, path, json, upload }: ServiceRequest,
		abortSignal: AbortSignal,
	): IHttpRequestOptions {
		const { connection, requestOptions = {}, responseTimeout } = this.settings;
		const { timeout = DEFAULT_TIMEOUT } = requestOptions;
		const body = upload ?? (json && JSON.stringify(json));
		return {
			...requestOptions,
			timeout: timeout < DEFAULT_TIMEOUT ? timeout : Math.max(timeout, responseTimeout),
			abortSignal,
			skipSslCertificateValidation: connection.allowUnauthorizedCerts,
			method,
			url: this.resolveUrl(path),
			headers: {
				Accept: 'application/json',
				...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
				// A server that refuses a request early then reads on, and doesn't close the connection with its response.
				...(upload?.isLarge ? { Connection: 'keep-alive' } : {}),
			},
			...(body === undefined ? {} : { body: body as IHttpRequestOptions['body'] }),
			// So that no more is read than the node accepts, each charset can be decoded, and what is not JSON be recognized.
			encoding: 'stream',
			returnFullResponse: true,
			// Otherwise, n8n itself sends a request again after a 401.
			ignoreHttpStatusErrors: true,
			// Otherwise, the HTTP client also keeps a copy of all that it sends.
			disableFollowRedirect: true,
		};
	}
}

/** A copy whose texts are fit for a message. */
function mapTexts<T extends object>(texts: T, redactor: Redactor): T {
	const entries = Object.entries(texts).map(([key, value]: [string, unknown]) => [
		key,
		typeof value === 'string' ? redactor.redactLine(value) : value,
	]);
	return Object.fromEntries(entries) as T;
}

interface FullResponse {
	statusCode: number;
	headers: ServiceResponse['headers'];
	/** Undefined where the body is lost or too large. */
	received?: ReceivedBody;
}

type StreamedResponse = Omit<FullResponse, 'received'> & { body: unknown };

async function readResponse(
	{ statusCode, headers, body }: StreamedResponse,
	limits: BodyLimits,
): Promise<FullResponse | { failure: RequestFailure }> {
	// The status of an error counts, even where its message is lost or too long.
	const isError = statusCode >= 300;
	const reading = readBody(body, isError ? ERROR_LIMITS : limits, headers['content-type']);
	const received = await (isError ? reading.catch(() => undefined) : reading);
	if (received === undefined || !('exceeded' in received)) return { statusCode, headers, received };
	return isError ? { statusCode, headers } : { failure: received.exceeded };
}

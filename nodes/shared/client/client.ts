import type {
	IAllExecuteFunctions,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	INode,
} from 'n8n-workflow';

import type { RequestFailure } from '../errors/failure';
import { isOutcomeUnknown } from '../errors/failure';
import type { RequestSubject } from '../errors/messages';
import { getErrorMessage } from '../errors/messages';
import { createApiError } from '../errors/nodeErrors';
import type { Body } from '../responses/parseBody';
import { parseBody } from '../responses/parseBody';
import type { Redactor } from '../responses/redact';
import { findServiceMessage } from '../responses/serviceMessage';
import { findList, isRecord } from '../responses/shapes';
import type { Connection } from './connection';
import { CREDENTIAL } from './connection';
import type { Limiter } from './limiter';
import { classifyNetworkError } from './networkError';
import type { RetryDecision } from './retry';
import { getRetryDecision, isRejectedForNow } from './retry';

/** A body that is streamed: opened for each attempt, closed after it. */
export interface Upload {
	readonly size: number;
	/** The error of reading it. */
	readonly failure?: Error;
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
	/** False for a request that creates something: it is not sent again when its outcome is unknown. */
	idempotent?: boolean;
	onUnknownOutcome?: () => void;
	subject?: Partial<RequestSubject>;
}

/** A response with a status of success. */
export interface ServiceResponse {
	headers: Record<string, string | undefined>;
	body: Body;
}

/** For whom a client sends requests: an item, a poll or a picker. */
export interface Caller {
	context: Pick<IAllExecuteFunctions, 'helpers'> & { getNode(): INode };
	maxRetries: number;
	/** Place in the queue: lower goes first. */
	priority?: number;
	/** Timeout, proxy and the like. */
	requestOptions?: Partial<IHttpRequestOptions>;
	itemIndex?: number;
	/** Called when a request fails permanently, before another one takes its slot. */
	onFailure?: () => void;
}

type Attempt =
	| { response: ServiceResponse; failure?: undefined }
	| { response?: undefined; failure: RequestFailure };

/** Sends every request of every operation, picker and poll. */
export class ServiceClient {
	constructor(
		private readonly settings: Caller & {
			connection: Connection;
			limiter: Limiter;
			redactor: Redactor;
		},
	) {}

	get origin(): string {
		return new URL(this.settings.connection.baseUrl).origin;
	}

	resolveUrl(path: string): string {
		return path.startsWith('https://') ? path : `${this.settings.connection.baseUrl}${path}`;
	}

	/** Sends a request, again where getRetryDecision says so. @throws NodeApiError when it fails */
	async send(request: ServiceRequest): Promise<ServiceResponse> {
		const { limiter, maxRetries, priority = 0 } = this.settings;
		let mayBeDone = false;
		for (let attemptCount = 0; ; attemptCount += 1) {
			const isLastAttempt = attemptCount > 0 && attemptCount >= maxRetries;
			const { response, failure, decision } = await limiter.run(
				priority,
				async () => await this.attempt(request, attemptCount),
				isLastAttempt,
			);
			const status = failure?.kind === 'status' ? failure.status : undefined;
			if (failure === undefined || (status !== undefined && !isRejectedForNow(status))) {
				limiter.onSuccess();
			}
			if (failure === undefined) return response;
			// An earlier attempt deleted the record although its response was lost.
			if (mayBeDone && request.method === 'DELETE' && status === 404) {
				return { headers: {}, body: { kind: 'empty' } };
			}
			mayBeDone ||= isOutcomeUnknown(failure);
			if (!decision.retry) {
				this.settings.onFailure?.();
				throw this.fail(request, failure, attemptCount + 1);
			}
			if (decision.pauseAll) await limiter.waitUntilResumed(decision.delay);
			else await limiter.delay(decision.delay);
		}
	}

	/**
	 * Sends a request whose response must be one JSON object, and redacts it.
	 *
	 * @throws NodeApiError also for any other response
	 */
	async requestObject(request: ServiceRequest): Promise<IDataObject> {
		const { body } = await this.send(request);
		if (body.kind === 'json' && isRecord(body.value)) {
			return this.settings.redactor.redactJson(body.value);
		}
		throw this.unexpectedResponse(request, body, 'a JSON object');
	}

	/**
	 * Sends a request whose response can be empty, text or JSON (docs/openapi.yaml, updateDrmRules, deleteContact).
	 *
	 * @returns the JSON object if there is one, redacted
	 * @throws NodeApiError also for an HTML page and invalid JSON
	 */
	async requestOptionalObject(request: ServiceRequest): Promise<IDataObject | undefined> {
		const { body } = await this.send(request);
		if (body.kind === 'json') {
			return isRecord(body.value) ? this.settings.redactor.redactJson(body.value) : undefined;
		}
		if (body.kind === 'empty' || body.kind === 'text') return undefined;
		throw this.unexpectedResponse(request, body, 'an API response');
	}

	/**
	 * Sends a request whose response must contain a list (`findList`) or be empty, and redacts the entries.
	 *
	 * @throws NodeApiError also for a response without a list
	 */
	async requestPage(
		request: ServiceRequest,
	): Promise<{ entries: unknown[]; headers: ServiceResponse['headers'] }> {
		const { body, headers } = await this.send(request);
		if (body.kind === 'empty') return { entries: [], headers };
		const entries = body.kind === 'json' ? findList(body.value) : undefined;
		if (entries === undefined) throw this.unexpectedResponse(request, body, 'a list');
		return { entries: this.settings.redactor.redactJson(entries), headers };
	}

	createError(request: ServiceRequest, failure: RequestFailure, attempts = 1): Error {
		const { context, redactor, itemIndex } = this.settings;
		const { message, description } = getErrorMessage(failure, {
			...request.subject,
			action: request.action,
			uploadSize: request.upload?.size,
			createsContainer: request.idempotent === false,
			origin: this.origin,
			attempts,
			// Pickers and polls have no items, and no Request Options either.
			hasFixedTimeout: itemIndex === undefined,
		});
		return createApiError(context.getNode(), {
			message: redactor.redactText(message),
			description: redactor.redactText(description),
			status: failure.kind === 'status' ? failure.status : undefined,
			itemIndex,
		});
	}

	private fail(request: ServiceRequest, failure: RequestFailure, attempts?: number): Error {
		if (isOutcomeUnknown(failure)) request.onUnknownOutcome?.();
		return this.createError(request, failure, attempts);
	}

	private unexpectedResponse(request: ServiceRequest, body: Body, expected: string): Error {
		if (body.kind === 'html') return this.fail(request, { kind: 'html' });
		if (body.kind === 'invalidJson') {
			return this.fail(request, { kind: 'invalidJson', reason: body.reason });
		}
		return this.fail(request, { kind: 'unexpected', expected, received: describeBody(body) });
	}

	private async attempt(
		request: ServiceRequest,
		attemptCount: number,
	): Promise<Attempt & { decision: RetryDecision }> {
		const { limiter, maxRetries } = this.settings;
		const result = await this.sendOnce(request);
		if (result.failure === undefined) return { ...result, decision: { retry: false } };
		const { idempotent = true } = request;
		const decision = getRetryDecision(result.failure, { attemptCount, maxRetries, idempotent });
		// Before the slot is free, so that no other request takes it meanwhile.
		if (decision.retry && decision.pauseAll) limiter.pauseFor(decision.delay);
		return { ...result, decision };
	}

	private async sendOnce(request: ServiceRequest): Promise<Attempt> {
		const { context, connection } = this.settings;
		await request.upload?.prepare();
		try {
			const response = (await context.helpers.httpRequestWithAuthentication.call(
				context as IAllExecuteFunctions,
				CREDENTIAL,
				this.getRequestOptions(request),
				{ credentialsDecrypted: connection.credential },
			)) as FullResponse;
			return this.parseResponse(response);
		} catch (error) {
			if (request.upload?.failure !== undefined) throw request.upload.failure;
			return { failure: { kind: 'network', ...classifyNetworkError(error) } };
		} finally {
			request.upload?.close();
		}
	}

	private getRequestOptions({ method, path, json, upload }: ServiceRequest): IHttpRequestOptions {
		const body = upload ?? (json === undefined ? undefined : JSON.stringify(json));
		return {
			...this.settings.requestOptions,
			method,
			url: this.resolveUrl(path),
			headers: {
				Accept: 'application/json',
				...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
			},
			...(body === undefined ? {} : { body: body as IHttpRequestOptions['body'] }),
			// As text, so that a response that is not JSON can be recognized.
			encoding: 'text',
			returnFullResponse: true,
			// Otherwise, n8n itself sends a request again after a 401.
			ignoreHttpStatusErrors: true,
			// Otherwise, the HTTP client also keeps a copy of all that it sends.
			disableFollowRedirect: true,
		};
	}

	private parseResponse({ statusCode: status, headers, body: raw }: FullResponse): Attempt {
		const body = parseBody(decodeText(raw), headers['content-type']);
		if (status >= 200 && status < 300) return { response: { headers, body } };
		const { redactor } = this.settings;
		const serviceMessage = findServiceMessage(body, (text) => redactor.redactText(text));
		const { location, 'retry-after': retryAfter } = headers;
		return { failure: { kind: 'status', status, serviceMessage, location, retryAfter } };
	}
}

interface FullResponse {
	statusCode: number;
	headers: ServiceResponse['headers'];
	body: unknown;
}

function decodeText(body: unknown): string {
	if (typeof body === 'string') return body;
	return body === undefined || body === null ? '' : JSON.stringify(body);
}

function describeBody(body: Body): string {
	if (body.kind !== 'json') return body.kind === 'empty' ? 'an empty response' : 'text';
	if (Array.isArray(body.value)) return 'a list';
	return isRecord(body.value) ? 'a JSON object' : `a JSON value of type ${typeof body.value}`;
}

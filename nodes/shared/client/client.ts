import type { IDataObject } from 'n8n-workflow';

import type { RequestFailure, RequestSubject } from '../errors/failure';
import { getFailureCause, isMissingRecord, isOutcomeUnknown } from '../errors/failure';
import { getErrorMessage } from '../errors/messages';
import { createApiError } from '../errors/nodeErrors';
import { MAX_BYTES, type Body } from '../responses/body';
import type { Page } from '../responses/page';
import type { Redactor } from '../responses/redact';
import { findServiceMessage } from '../responses/serviceMessage';
import { isRecord } from '../responses/shapes';
import type { Check, Result } from './accept';
import { acceptChange, acceptObject, acceptPage } from './accept';
import type { Connection } from './connection';
import { delay, takeBreak } from './delay';
import type { Pace } from './pace';
import { buildPath } from './path';
import { getRetryDecision, isRefusedForLong, isRejectedForNow, parseRetryAfter } from './retry';
import { exchange, type WireRequest, type WireResponse, type WireSettings } from './transport';

export interface ServiceRequest extends WireRequest {
	/** Encoded path below the base URL, or an absolute URL on the same origin. */
	path: string;
	/** What the request does, in words that follow "to": "get the container". */
	action: string;
	/** False for a request that creates something: it is not sent again when its outcome is unknown. */
	idempotent?: boolean;
	/** Called when an attempt might have been carried out although it failed. */
	onUnknownOutcome?: () => void;
	/** Whether a part of a list is enough. It gets what says that there is more. */
	acceptRest?: (rest: string) => boolean;
	subject?: Partial<RequestSubject>;
}

export interface ClientSettings extends Omit<WireSettings, 'connection'> {
	maxRetries: number;
	/** The user to act for, where it is not that of the API key. */
	chosenUser?: string;
	/** When nobody waits any more (milliseconds since 1970): a retry after it is not made. */
	deadline?: number;
	itemIndex?: number;
}

/** Shared by the clients with one credential. */
interface SharedSettings {
	connection: Connection;
	pace: Pace;
	redactor: Redactor;
	/** Called when the service refuses a request for a user. */
	onRefusal(): void;
}

type Accept<T> = (response: WireResponse) => Result<T>;

export class ServiceClient {
	constructor(private readonly settings: ClientSettings & SharedSettings) {}

	get origin(): string {
		return new URL(this.settings.connection.baseUrl).origin;
	}

	resolveUrl(path: string): string {
		return path.startsWith('https://') ? path : `${this.settings.connection.baseUrl}${path}`;
	}

	/** @throws NodeApiError also for any other response */
	async requestObject(request: ServiceRequest, check?: Check): Promise<IDataObject> {
		return await this.send(request, (response) => acceptObject(response, request.subject, check));
	}

	/** As requestObject, with the strong ETag of the response, which a change can send as `If-Match`. @throws NodeApiError */
	async requestObjectWithETag(request: ServiceRequest, check?: Check) {
		return await this.send(request, (response) => {
			const result = acceptObject(response, request.subject, check);
			if (result.failure !== undefined) return result;
			return { value: { object: result.value, etag: getStrongETag(response) } };
		});
	}

	/** The response can be a record, a message or empty. @throws NodeApiError also for an HTML page */
	async requestChange(request: ServiceRequest) {
		return await this.send(request, (response) => {
			const result = acceptChange(response, request.subject);
			if (result.failure !== undefined) return result;
			return { value: { ...result.value, etag: getStrongETag(response) } };
		});
	}

	/** @throws NodeApiError also for what is no list */
	async requestPage(request: ServiceRequest): Promise<Page> {
		return await this.send({ maxBytes: MAX_BYTES.page, ...request }, acceptPage);
	}

	createError(
		request: ServiceRequest,
		failure: RequestFailure,
		attempts = 1,
		wasLost = false,
	): Error {
		const { context, itemIndex, chosenUser, requestOptions, redactor } = this.settings;
		const isOfChosenUser =
			chosenUser !== undefined && request.path.includes(`${buildPath(['users', chosenUser])}/`);
		const subject = { ...request.subject, chosenUser: isOfChosenUser ? chosenUser : undefined };
		const { message, description } = getErrorMessage(redactor.redactLines(failure), {
			...redactor.redactLines(subject),
			action: request.action,
			uploadSize: request.upload?.size,
			createsContainer: request.idempotent === false,
			isChange: request.method !== 'GET',
			origin: this.origin,
			attempts,
			wasLost,
			hasProxy: requestOptions?.proxy !== undefined,
		});
		return createApiError(context.getNode(), {
			message: redactor.redactText(message),
			description: redactor.redactText(description),
			status: failure.status,
			isNotFound: isMissingRecord(failure),
			itemIndex,
			failure: getFailureCause(failure, parseRetryAfter(failure.retryAfter)),
		});
	}

	/** In place. */
	async redact(records: IDataObject[]): Promise<IDataObject[]> {
		return await this.settings.redactor.redactJson(records, async () => await takeBreak(20));
	}

	redactText(text: string): string {
		return this.settings.redactor.redactText(text);
	}

	redactLine(text: string): string {
		return this.settings.redactor.redactLine(text);
	}

	/** @throws NodeApiError */
	private async send<T>(request: ServiceRequest, accept: Accept<T>): Promise<T> {
		const { pace } = this.settings;
		let wasLost = false;
		for (let attempts = 1; ; attempts += 1) {
			const result = await pace.run(async () => await this.attempt(request, accept, attempts));
			if (result.failure === undefined) return result.value;
			const { failure, retryAfter } = result;
			if (retryAfter === undefined) throw this.createError(request, failure, attempts, wasLost);
			wasLost ||= isOutcomeUnknown(failure);
			await delay(retryAfter, pace.signal);
		}
	}

	/** Sends a request once; where `retryAfter` is returned, it is sent again after so many milliseconds. */
	private async attempt<T>(request: ServiceRequest, accept: Accept<T>, attempts: number) {
		const { maxRetries, deadline = Infinity, pace, onRefusal } = this.settings;
		if (pace.refusal !== undefined) return { failure: { ...pace.refusal, isUnsent: true } };
		const result = await this.sendOnce(request, accept);
		const { failure } = result;
		// What others must know of it, they know before it frees its slot for one of them.
		const isRejected = failure?.kind === 'network' || isRejectedForNow(failure?.status);
		if (!isRejected) pace.onSuccess();
		if (failure === undefined) return result;
		if (isOutcomeUnknown(failure)) request.onUnknownOutcome?.();
		const isUsedUp = isRejectedForNow(failure.status) && pace.onRejection(maxRetries);
		if (isUsedUp || isRefusedForLong(failure)) pace.refusal = failure;
		const isRefused = failure.status === 403 || failure.status === 404;
		if (isRefused && request.path.includes('/users/')) onRefusal();
		const { idempotencyKey, idempotent = true } = request;
		const retry = getRetryDecision(failure, {
			attempts,
			maxRetries,
			idempotent: idempotent || idempotencyKey !== undefined,
		});
		const isOver = pace.refusal !== undefined || Date.now() + (retry?.delay ?? 0) > deadline;
		if (retry === undefined || isOver) return { failure };
		if (retry.pauseAll) pace.pauseFor(retry.delay);
		else pace.retries += 1;
		return { failure, retryAfter: retry.pauseAll ? 0 : retry.delay };
	}

	private async sendOnce<T>(request: ServiceRequest, accept: Accept<T>): Promise<Result<T>> {
		const response = await exchange(this.resolveUrl(request.path), request, this.settings);
		if ('failure' in response) return response;
		return response.status < 300 ? accept(response) : { failure: toStatusFailure(response) };
	}
}

function toStatusFailure({ status, headers, body }: WireResponse): RequestFailure {
	return {
		kind: 'status',
		status,
		isPage: body.kind === 'html' || body.kind === 'text',
		isHtml: body.kind === 'html',
		serviceMessage: findServiceMessage(body),
		code: getCode(body),
		location: headers.location,
		retryAfter: headers['retry-after'],
	};
}

function getCode({ value }: Body): string | undefined {
	return isRecord(value) && typeof value.code === 'string' ? value.code : undefined;
}

/** A weak one doesn't identify a version of a record (RFC 9110, 8.8.1). */
function getStrongETag({ headers: { etag } }: WireResponse): string | undefined {
	return etag?.startsWith('"') ? etag : undefined;
}

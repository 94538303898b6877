import type { IDataObject } from 'n8n-workflow';

import type { RequestFailure, RequestSubject } from '../errors/failure';
import {
	getFailureCause,
	isMissingRecord,
	isOutcomeUnknown,
	isRejectedForNow,
} from '../errors/failure';
import { getErrorMessage } from '../errors/messages';
import { ServiceError } from '../errors/serviceError';
import { MAX_BYTES } from '../responses/body';
import type { Page } from '../responses/page';
import { Redactor } from '../responses/redact';
import type { Check, Result } from './accept';
import { acceptChange, acceptObject, acceptPage, toStatusFailure } from './accept';
import { toConnectionKey, type Connection } from './connection';
import type { CurrentUser } from './currentUser';
import { checkUser, recallUser } from './currentUser';
import { delay, takeBreak } from './delay';
import type { Limiter } from './limiter';
import { getRetryDecision, parseRetryAfter } from './retry';
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
	/** Passwords that the request sends, and that no error may show. */
	secrets?: string[];
}

export interface ClientSettings extends WireSettings {
	limiter: Limiter;
	maxRetries: number;
	/** When nobody waits any more (milliseconds since 1970): a retry after it is not made. */
	deadline?: number;
}

type Accept<T> = (response: WireResponse) => Result<T>;

/** Sends the requests of one execution, poll or picker that have the same credential and settings. */
export class Client {
	/** Stands for the service and the API key in this process. */
	readonly key: string;
	readonly redactor: Redactor;
	private user?: CurrentUser;
	private findingUser?: Promise<CurrentUser>;

	constructor(private readonly settings: ClientSettings) {
		this.key = toConnectionKey(settings.connection);
		this.redactor = new Redactor([settings.connection.apiKey]);
	}

	get connection(): Connection {
		return this.settings.connection;
	}

	get origin(): string {
		return new URL(this.connection.baseUrl).origin;
	}

	resolveUrl(path: string): string {
		return path.startsWith('https://') ? path : `${this.connection.baseUrl}${path}`;
	}

	/** The user of the API key. @throws ServiceError when GET /me returns none */
	async getCurrentUser(): Promise<CurrentUser> {
		this.findingUser ??= this.findUser();
		this.user = await this.findingUser;
		return this.user;
	}

	/** @throws ServiceError also for any other response */
	async requestObject(request: ServiceRequest, check?: Check): Promise<IDataObject> {
		const { object } = await this.requestObjectWithETag(request, check);
		return object;
	}

	/** As requestObject, with the strong ETag of the response, which a change can send as `If-Match`. @throws ServiceError */
	async requestObjectWithETag(request: ServiceRequest, check?: Check) {
		return await this.send(request, (response) => acceptObject(response, request.subject, check));
	}

	/** The response can be a record, a message or empty. @throws ServiceError also for an HTML page */
	async requestChange(request: ServiceRequest) {
		return await this.send(request, (response) => acceptChange(response, request.subject));
	}

	/** @throws ServiceError also for what is no list */
	async requestPage(request: ServiceRequest): Promise<Page> {
		return await this.send({ maxBytes: MAX_BYTES.page, ...request }, acceptPage);
	}

	createError(
		request: ServiceRequest,
		failure: RequestFailure,
		{ attempts = 1, wasLost = false } = {},
	): Error {
		const redactor = this.redactor.extend(request.secrets ?? []);
		const subject = { ...request.subject, chosenUser: this.findChosenUser(request) };
		const { message, description } = getErrorMessage(redactor.redactLines(failure), {
			...redactor.redactLines(subject),
			action: request.action,
			createsContainer: request.idempotent === false,
			isChange: request.method !== 'GET',
			origin: this.origin,
			attempts,
			wasLost,
		});
		return new ServiceError({
			message: redactor.redactText(message),
			description: redactor.redactText(description),
			status: failure.status,
			isNotFound: isMissingRecord(failure),
			failure: getFailureCause(failure, parseRetryAfter(failure.retryAfter)),
		});
	}

	/** In place. */
	async redact(records: IDataObject[]): Promise<IDataObject[]> {
		return await this.redactor.redactJson(records, async () => await takeBreak(20));
	}

	redactText(text: string): string {
		return this.redactor.redactText(text);
	}

	redactLine(text: string): string {
		return this.redactor.redactLine(text);
	}

	/** docs/openapi.yaml, getMe */
	private async findUser(): Promise<CurrentUser> {
		const request = { method: 'GET', path: '/me', action: 'find the user of the API key' } as const;
		return await recallUser(this.key, async () => await this.requestObject(request, checkUser));
	}

	/** The user whose records a request is about, where it is not that of the API key. */
	private findChosenUser({ path }: ServiceRequest): string | undefined {
		const [, segment] = /\/users\/([^/?]+)/.exec(path) ?? [];
		// Unlike others, this way to decode never throws.
		const user = new URLSearchParams(`id=${segment}`).get('id') ?? '';
		return segment === undefined || user === this.user?.id ? undefined : user;
	}

	/** @throws ServiceError */
	private async send<T>(request: ServiceRequest, accept: Accept<T>): Promise<T> {
		const { limiter } = this.settings;
		let wasLost = false;
		for (let attempts = 1; ; attempts += 1) {
			const result = await limiter.run(async () => await this.attempt(request, accept, attempts));
			if (result.failure === undefined) return result.value;
			const { failure, retryAfter } = result;
			if (retryAfter === undefined) throw this.createError(request, failure, { attempts, wasLost });
			wasLost ||= isOutcomeUnknown(failure);
			await delay(retryAfter, limiter.signal);
		}
	}

	/** Sends a request once; where `retryAfter` is returned, it is sent again after so many milliseconds. */
	private async attempt<T>(request: ServiceRequest, accept: Accept<T>, attempts: number) {
		const { maxRetries, deadline = Infinity, limiter } = this.settings;
		if (limiter.refusal !== undefined) return { failure: { ...limiter.refusal, isUnsent: true } };
		const result = await this.sendOnce(request, accept);
		const { failure } = result;
		// What others must know of it, they know before it frees its slot for one of them.
		const isRejected = failure !== undefined && isRejectedForNow(failure);
		if (!isRejected && failure?.kind !== 'network') limiter.onSuccess();
		if (failure === undefined) return result;
		if (isOutcomeUnknown(failure)) request.onUnknownOutcome?.();
		const idempotent = request.idempotent !== false || request.idempotencyKey !== undefined;
		const retry = getRetryDecision(failure, { attempts, maxRetries, idempotent });
		if (isRejected) limiter.onRejection(failure, { attempts, maxRetries, retry });
		const isOver = limiter.refusal !== undefined || Date.now() + (retry?.delay ?? 0) > deadline;
		if (retry === undefined || isOver) return { failure };
		if (retry.pauseAll) limiter.pauseFor(retry.delay);
		return { failure, retryAfter: retry.pauseAll ? 0 : retry.delay };
	}

	private async sendOnce<T>(request: ServiceRequest, accept: Accept<T>): Promise<Result<T>> {
		const response = await exchange(this.resolveUrl(request.path), request, this.settings);
		if (response.failure !== undefined) return { failure: response.failure };
		return response.status < 300 ? accept(response) : { failure: toStatusFailure(response) };
	}
}

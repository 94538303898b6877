import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../errors/errors';
import {
	findDoubt,
	getRetryDecision,
	isRejectedForNow,
	RequestError,
	type Doubt,
	type RequestFailure,
	type RequestSubject,
} from '../errors/failure';
import { getErrorMessage } from '../errors/messages';
import { Redactor } from '../responses/redact';
import { acceptObject, type Expectation } from './accept';
import { delay } from './delay';
import { endpoints, toRequest } from './endpoints';
import type { Limiter } from './limiter';
import { exchange, type WireRequest, type WireResponse, type WireSettings } from './transport';

export interface ServiceRequest extends WireRequest {
	/** What the request does, in words that follow "to": "get the container". */
	action: string;
	/** What the response should show: then it is no failure, whatever is beside it. */
	expected?: Expectation;
	/** False where it must not be sent again in doubt. */
	idempotent?: boolean;
	/** Whether it changes nothing, although it is no GET. */
	isRead?: boolean;
	/** From before this request, where it belongs to one that was sent before: then that of any error. */
	doubt?: Doubt;
	subject?: Partial<RequestSubject>;
	/** What no error may show, beside the API key. */
	secrets?: string[];
}

export interface ClientSettings extends WireSettings {
	limiter: Limiter;
	maxRetries: number;
	/** When nobody waits any more (milliseconds since 1970): a retry after it is not made. */
	deadline?: number;
}

/** The user of an API key, and what the service says of itself to it (docs/openapi.yaml, getMe). */
interface CurrentUser {
	id: string;
	features: string[];
	/** In which days begin and end: undefined where the service doesn't say it. */
	timeZone?: string;
	/** Where a recipient opens any container, with `{containerId}` in it. */
	containerUrl?: string;
	/** Where a sender sends files, with `{requestId}` in it. */
	requestUrl?: string;
}

const USER: Expectation = {
	what: 'a user with an id',
	isIn: ({ id }) => typeof id === 'number' || isFilledText(id),
};

type Accept<T> = (response: WireResponse, request: ServiceRequest) => T;

/** Sends the requests of one execution, poll or picker that have the same credential and settings. */
export class Client {
	readonly connection;
	readonly origin;
	readonly redactor;
	/** How many milliseconds the clock of the service is ahead, as its last response says (to the second). */
	clockOffset = 0;
	private user?: Promise<CurrentUser>;

	constructor(private readonly settings: ClientSettings) {
		this.connection = settings.connection;
		this.origin = new URL(this.connection.baseUrl).origin;
		this.redactor = new Redactor([this.connection.apiKey]);
	}

	/** The user of the API key, asked for once, and what the service supports beside the rest of its API (getMe). */
	async getCurrentUser(): Promise<CurrentUser> {
		const action = 'find the user of the API key';
		const request = { ...toRequest(endpoints.getMe, {}), action, expected: USER };
		this.user ??= this.request(request, acceptObject).then(({ object }) => toCurrentUser(object));
		return await this.user;
	}

	/** Sends a request, again where that can help. @throws ServiceError where `accept` refuses the response, or none comes */
	async request<T>(request: ServiceRequest, accept: Accept<T>): Promise<T> {
		const { limiter } = this.settings;
		let error: ServiceError | undefined;
		try {
			for (let attempts = 1; ; attempts += 1) {
				await limiter.enter();
				const attempt = this.attempt(request, accept, attempts);
				const result = await attempt.finally(() => limiter.leave());
				if ('value' in result) return result.value;
				const { failure, retryAfter } = result;
				error = this.createError(request, failure, { attempts, doubt: error?.doubt });
				if (retryAfter === undefined) throw error;
				await delay(retryAfter, limiter.signal);
			}
		} catch (cause) {
			// What might have been done matters more than why it is not sent again.
			throw error?.doubt === undefined ? cause : error;
		}
	}

	createError(
		request: ServiceRequest,
		failure: RequestFailure,
		tries: Partial<RequestSubject> = {},
	) {
		const { action, method, isRead, secrets = [], idempotencyKey } = request;
		const redactor = this.redactor.extend(secrets);
		// A password can be the word for what is created.
		const { creates } = request.subject ?? {};
		const subject = { ...redactor.redactLines(request.subject ?? {}), creates };
		const reason = redactor.redactLines(failure);
		const isChange = method !== 'GET' && !isRead;
		const isRecognized = idempotencyKey !== undefined;
		const found = findDoubt(failure, { creates, isChange, isRecognized });
		const doubt = tries.doubt ?? request.doubt ?? found;
		const { message, description } = getErrorMessage(reason, {
			...subject,
			...tries,
			action,
			isChange,
			doubt,
			origin: this.origin,
		});
		return new ServiceError(message, description, reason, doubt, subject);
	}

	private readClock({ headers: { date = '' } }: WireResponse): void {
		const time = Date.parse(date);
		if (!Number.isNaN(time)) this.clockOffset = time - Date.now();
	}

	/** Sends a request once; where `retryAfter` is returned, it is sent again after so many milliseconds. */
	private async attempt<T>(request: ServiceRequest, accept: Accept<T>, attempts: number) {
		const { maxRetries, deadline, limiter } = this.settings;
		if (limiter.refusal !== undefined) return { failure: limiter.refusal };
		const result = await exchange(request, this.settings)
			.then((response) => {
				this.readClock(response);
				return { value: accept(response, request) };
			})
			.catch((error: unknown) => {
				if (error instanceof RequestError) return error;
				throw error;
			});
		if (!(result instanceof RequestError)) {
			limiter.onSuccess();
			return result;
		}
		const { failure } = result;
		const { idempotent = true } = request;
		const limits = { attempts, maxRetries, deadline, idempotent };
		const retry = getRetryDecision(failure, limits);
		// What others must know of it, they know before it frees its slot for one of them.
		if (isRejectedForNow(failure)) limiter.onRejection(failure, limits, retry);
		else if (failure.kind !== 'network') limiter.onSuccess();
		return { failure, retryAfter: limiter.refusal === undefined ? retry?.delay : undefined };
	}
}

function toCurrentUser(object: IDataObject): CurrentUser {
	const { id, features, time_zone: timeZone } = object;
	const { container_url: containerUrl, request_url: requestUrl } = object;
	return {
		id: String(id),
		features: Array.isArray(features) ? features.map(String) : [],
		timeZone: isFilledText(timeZone) ? timeZone : undefined,
		containerUrl: isFilledText(containerUrl) ? containerUrl : undefined,
		requestUrl: isFilledText(requestUrl) ? requestUrl : undefined,
	};
}

function isFilledText(value: unknown): value is string {
	return typeof value === 'string' && value !== '';
}

import type {
	IAllExecuteFunctions,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	INode,
} from 'n8n-workflow';

import type { Body } from '../responses/parseBody';
import { parseBody } from '../responses/parseBody';
import { findList, isRecord } from '../api/records';
import type { Redactor } from '../responses/redact';
import { findServiceMessage } from '../responses/serviceMessage';
import { createApiError } from '../errors/nodeErrors';
import type { Connection } from './connect';
import type { RequestFailure, RequestSubject } from '../errors/messages';
import { getErrorMessage, isOutcomeUnknown } from '../errors/messages';
import type { Limiter } from './limiter';
import { classifyNetworkError } from './networkError';
import type { Outcome } from './retry';
import { getRetryDecision, isUnclear } from './retry';

export const CREDENTIAL = 'encryptedContainersApi';

/** A body that is sent as it is read: it is opened anew for each try and closed after it. */
export interface Upload {
	readonly size: number;
	/** What went wrong while reading it, in words for the user. */
	readonly failure?: Error;
	/** Gets what must be known before it is sent; called when its turn has come, so that few are at it at a time. */
	ready(): Promise<void>;
	close(): void;
}

/** One request in the service's terms. */
export interface ServiceRequest {
	method: IHttpRequestMethods;
	/** Path below the base URL, encoded, or an absolute address on the same origin. */
	path: string;
	/** What the request does, in a few words that follow "to": "get the container". */
	action: string;
	json?: IDataObject;
	upload?: Upload;
	/** Whether it makes something new each time it is sent: then it is never sent again after an unclear outcome. */
	creates?: boolean;
	/** Told when it failed and may have made something all the same. */
	onDoubt?: () => void;
	subject?: Partial<RequestSubject>;
}

/** What the service answered to a request that it carried out. */
export interface Answer {
	status: number;
	headers: Record<string, string | undefined>;
	body: Body;
}

/** What a client works with; the run's items share all but the context and the turn. */
export interface ClientSettings {
	context: Pick<IAllExecuteFunctions, 'helpers'> & { getNode(): INode };
	connection: Connection;
	secrets: Redactor;
	limiter: Limiter;
	/** Place in the line for requests: the item's index. */
	turn: number;
	maxRetries: number;
	/** Timeout, proxy and the like, as set by the user in Request Options. */
	requestOptions?: Partial<IHttpRequestOptions>;
	itemIndex?: number;
	/** Told at once when a request is given up, before another one takes its place. */
	onFailure?: () => void;
}

/** The one way to the service: every request of every operation, list and trigger goes through it. */
export class ServiceClient {
	constructor(private readonly settings: ClientSettings) {}

	get origin(): string {
		return new URL(this.settings.connection.baseUrl).origin;
	}

	/** The absolute address of a path below the base URL. */
	addressOf(path: string): string {
		return path.startsWith('https://') ? path : `${this.settings.connection.baseUrl}${path}`;
	}

	/**
	 * Sends a request when its turn has come, and again as far as that is safe (see decide).
	 *
	 * @param request what to send
	 * @returns the answer, which has a status of success
	 * @throws NodeApiError in the words of `explain` when the request was not carried out
	 */
	async send(request: ServiceRequest): Promise<Answer> {
		const { limiter, turn, maxRetries } = this.settings;
		let unclear = false;
		for (let tried = 0; ; tried += 1) {
			const { outcome, answer, situation, decision } = await limiter.run(
				turn,
				async () => {
					const result = await this.attempt(request);
					const next = getRetryDecision(result.outcome, {
						tried,
						maxRetries,
						repeatable: !request.creates,
					});
					// At once, so that no other request takes its place meanwhile.
					if (next.next === 'wait' && next.together) limiter.hold(next.milliseconds);
					return { ...result, decision: next };
				},
				tried > 0 && tried >= maxRetries,
			);
			if (answer !== undefined) {
				limiter.succeeded();
				return answer;
			}
			if (outcome.kind === 'answer' && outcome.status !== 429 && outcome.status !== 503)
				limiter.succeeded();
			// The delete of an earlier try went through although its answer was lost.
			if (
				unclear &&
				request.method === 'DELETE' &&
				outcome.kind === 'answer' &&
				outcome.status === 404
			) {
				return { status: 404, headers: {}, body: { kind: 'empty' } };
			}
			unclear ||= isUnclear(outcome);
			if (decision.next === 'stop') {
				this.settings.onFailure?.();
				throw this.failure(request, situation, tried + 1);
			}
			if (decision.together) await limiter.pause(decision.milliseconds);
			else await limiter.wait(decision.milliseconds);
		}
	}

	/**
	 * Sends a request whose answer must be one JSON object.
	 *
	 * @param request what to send
	 * @returns the object, with secrets taken out
	 * @throws NodeApiError also when the answer is a web page, a list, text, or cut off
	 */
	async record(request: ServiceRequest): Promise<IDataObject> {
		const { body } = await this.send(request);
		if (body.kind === 'json' && isRecord(body.value))
			return this.settings.secrets.redactJson(body.value);
		throw this.unusable(request, body, 'a JSON object');
	}

	/**
	 * Sends a request whose answer may be empty, text or JSON (PATCH and DELETE, service-api.md, Gaps).
	 *
	 * @param request what to send
	 * @returns the JSON object if there is one, with secrets taken out; otherwise undefined
	 * @throws NodeApiError also when a web page answers, or JSON is cut off
	 */
	async optionalRecord(request: ServiceRequest): Promise<IDataObject | undefined> {
		const { body } = await this.send(request);
		if (body.kind === 'json') {
			return isRecord(body.value) ? this.settings.secrets.redactJson(body.value) : undefined;
		}
		if (body.kind === 'empty' || body.kind === 'text') return undefined;
		throw this.unusable(request, body, 'an API response');
	}

	/**
	 * Sends a request whose answer must hold a list, in any of the shapes of `findList`.
	 *
	 * @param request what to send
	 * @returns the entries, with secrets taken out, and the headers; an empty answer is an empty list
	 * @throws NodeApiError also when there is no list in the answer
	 */
	async page(request: ServiceRequest): Promise<{ entries: unknown[]; headers: Answer['headers'] }> {
		const { body, headers } = await this.send(request);
		if (body.kind === 'empty') return { entries: [], headers };
		const entries = body.kind === 'json' ? findList(body.value) : undefined;
		if (entries === undefined) throw this.unusable(request, body, 'a list');
		return { entries: this.settings.secrets.redactJson(entries), headers };
	}

	/**
	 * Makes the message for a request that did not do what it should.
	 *
	 * @param request what was sent
	 * @param situation what came of it
	 * @param tries how often it was sent
	 */
	failure(request: ServiceRequest, situation: RequestFailure, tries = 1): Error {
		const { context, secrets, itemIndex } = this.settings;
		if (isOutcomeUnknown(situation)) request.onDoubt?.();
		const { message, description } = getErrorMessage(situation, {
			...request.subject,
			action: request.action,
			uploadSize: request.upload?.size,
			creates: request.creates,
			origin: this.origin,
			tries,
			// Lists to choose from and polls have no items, and no Request Options either.
			hasFixedTimeout: itemIndex === undefined,
		});
		return createApiError(context.getNode(), {
			message: secrets.redactText(message),
			description: secrets.redactText(description),
			status: situation.kind === 'status' ? situation.status : undefined,
			itemIndex,
		});
	}

	private unusable(request: ServiceRequest, body: Body, expected: string): Error {
		if (body.kind === 'page') return this.failure(request, { kind: 'page' });
		if (body.kind === 'broken')
			return this.failure(request, { kind: 'broken', reason: body.reason });
		return this.failure(request, { kind: 'unexpected', expected, got: describeBody(body) });
	}

	private async attempt(
		request: ServiceRequest,
	): Promise<{ outcome: Outcome; situation: RequestFailure; answer?: Answer }> {
		const { context, connection } = this.settings;
		await request.upload?.ready();
		try {
			const response = (await context.helpers.httpRequestWithAuthentication.call(
				context as IAllExecuteFunctions,
				CREDENTIAL,
				this.optionsFor(request),
				{ credentialsDecrypted: connection.credential },
			)) as { statusCode: number; headers: Answer['headers']; body: unknown };
			return this.read(response);
		} catch (error) {
			if (request.upload?.failure !== undefined) throw request.upload.failure;
			const { reason, code } = classifyNetworkError(error);
			return {
				outcome: { kind: 'noAnswer', reason },
				situation: { kind: 'noAnswer', reason, code },
			};
		} finally {
			request.upload?.close();
		}
	}

	private optionsFor({ method, path, json, upload }: ServiceRequest): IHttpRequestOptions {
		const body = upload ?? (json === undefined ? undefined : JSON.stringify(json));
		return {
			...this.settings.requestOptions,
			method,
			url: this.addressOf(path),
			headers: {
				Accept: 'application/json',
				...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
			},
			...(body === undefined ? {} : { body: body as IHttpRequestOptions['body'] }),
			// As text, so that an answer which is not what it should be can be told apart and explained.
			encoding: 'text',
			returnFullResponse: true,
			// n8n sends a request a second time by itself after a 401 unless it is handed every status.
			ignoreHttpStatusErrors: true,
			// Also keeps the HTTP client from holding a copy of all that it has sent.
			disableFollowRedirect: true,
		};
	}

	private read({
		statusCode,
		headers,
		body: raw,
	}: {
		statusCode: number;
		headers: Answer['headers'];
		body: unknown;
	}): { outcome: Outcome; situation: RequestFailure; answer?: Answer } {
		const body = parseBody(textOf(raw), headers['content-type']);
		const outcome: Outcome = {
			kind: 'answer',
			status: statusCode,
			retryAfter: headers['retry-after'],
		};
		const situation: RequestFailure = {
			kind: 'status',
			status: statusCode,
			said: findServiceMessage(body, (text) => this.settings.secrets.redactText(text)),
			location: headers.location,
			retryAfter: headers['retry-after'],
		};
		if (statusCode < 200 || statusCode >= 300) return { outcome, situation };
		return { outcome, situation, answer: { status: statusCode, headers, body } };
	}
}

function textOf(body: unknown): string {
	if (typeof body === 'string') return body;
	return body === undefined || body === null ? '' : JSON.stringify(body);
}

function describeBody(body: Body): string {
	if (body.kind !== 'json') return body.kind === 'empty' ? 'an empty response' : 'text';
	if (Array.isArray(body.value)) return 'a list';
	return isRecord(body.value) ? 'a JSON object' : `a JSON value of type ${typeof body.value}`;
}

import type {
	IAllExecuteFunctions,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';

import type { RequestFailure } from '../errors/failure';
import { MAX_BYTES, readBody, type Body } from '../responses/body';
import { CREDENTIAL, type Connection } from './connection';
import { sleepUntil } from './delay';
import { classifyNetworkError, findRefusal } from './networkError';

/** How long n8n waits for data unless the user sets another timeout, in milliseconds. */
const DEFAULT_TIMEOUT = 300_000;

/** A response can come before so many bytes are sent. */
export const LARGE_UPLOAD = 1_000_000;

/** A body that is streamed: opened for each attempt, closed after it. */
export interface Upload {
	readonly size: number;
	readonly failure?: Error;
	/** Looks up what an attempt needs, when a slot is free. It has to call back when all of it was sent. */
	prepare(onSent: () => void): Promise<void>;
	close(): void;
}

export interface WireRequest {
	method: IHttpRequestMethods;
	json?: IDataObject;
	upload?: Upload;
	/** Beside those of every request, such as `If-Match`. */
	headers?: Record<string, string>;
	/** By it the service recognizes a request that it already has: then one that creates something is also sent again. */
	idempotencyKey?: string;
	/** Of the response; by default as many as a record can have. */
	maxBytes?: number;
}

export interface WireSettings {
	context: Pick<IAllExecuteFunctions, 'helpers' | 'getNode'>;
	connection: Connection;
	/** Milliseconds that the service has for a whole response, once it has the whole request. */
	responseTimeout: number;
	cancelled?: AbortSignal;
	requestOptions?: Partial<IHttpRequestOptions>;
}

export interface WireResponse {
	failure?: undefined;
	status: number;
	headers: Record<string, string | undefined>;
	body: Body;
}

/** @throws UserError when a file can't be read */
export async function exchange(
	url: string,
	request: WireRequest,
	settings: WireSettings,
): Promise<WireResponse | { failure: RequestFailure }> {
	const { context, connection, responseTimeout, cancelled } = settings;
	const { upload, maxBytes = MAX_BYTES.record } = request;
	const ending = new AbortController();
	let deadline = Infinity;
	let isOver = false;
	// n8n's own timeout only counts the time without data.
	const startTime = () => {
		deadline = Math.min(deadline, Date.now() + responseTimeout);
	};
	if (upload === undefined) startTime();
	else await upload.prepare(startTime);
	void sleepUntil(() => (isOver || cancelled?.aborted ? 0 : deadline)).then(() => {
		if (!isOver) ending.abort();
	});
	// In an execution, n8n replaces the signal of a request by this one.
	const caller = Object.create(context, {
		getExecutionCancelSignal: { value: () => ending.signal },
	}) as IAllExecuteFunctions;
	try {
		const { statusCode, headers, body } = (await context.helpers.httpRequestWithAuthentication.call(
			caller,
			CREDENTIAL,
			{ ...getRequestOptions(request, settings), url, abortSignal: ending.signal },
			{ credentialsDecrypted: connection.credential },
		)) as Pick<WireResponse, 'headers'> & { statusCode: number; body: unknown };
		startTime();
		const isSuccess = statusCode < 300;
		const reading = readBody(body, isSuccess ? maxBytes : MAX_BYTES.error);
		// The status of an error counts, even where its message is lost.
		const read = await (isSuccess ? reading : reading.catch(() => ({})));
		return { status: statusCode, headers, body: read };
	} catch (error) {
		if (upload?.failure !== undefined) throw upload.failure;
		const isLate = ending.signal.aborted && !cancelled?.aborted;
		const refusal = upload && findRefusal(error);
		if (refusal !== undefined) return { ...refusal, body: {} };
		const cause = isLate ? { code: 'ETIMEDOUT', cause: error } : error;
		const seconds = isLate ? responseTimeout / 1000 : undefined;
		return { failure: { ...classifyNetworkError(cause), seconds } };
	} finally {
		isOver = true;
		upload?.close();
	}
}

function getRequestOptions(request: WireRequest, settings: WireSettings) {
	const { method, json, upload, idempotencyKey } = request;
	const { connection, requestOptions, responseTimeout } = settings;
	return {
		...requestOptions,
		timeout: requestOptions?.timeout ?? Math.max(DEFAULT_TIMEOUT, responseTimeout),
		skipSslCertificateValidation: connection.allowUnauthorizedCerts,
		method,
		headers: {
			Accept: 'application/json',
			...(json && { 'Content-Type': 'application/json' }),
			// A server that responds early then reads on, and neither side closes the connection with the response.
			...(upload && upload.size > LARGE_UPLOAD && { Connection: 'keep-alive' }),
			...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
			...request.headers,
		},
		body: (upload ?? (json && JSON.stringify(json))) as IHttpRequestOptions['body'],
		// So that no more is read than the node accepts, and what is not JSON can be recognized.
		encoding: 'stream' as const,
		returnFullResponse: true,
		// Otherwise, n8n itself sends a request again after a 401.
		ignoreHttpStatusErrors: true,
		// Otherwise, the HTTP client also keeps a copy of all that it sends.
		disableFollowRedirect: true,
	};
}

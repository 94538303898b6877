import type {
	IAllExecuteFunctions,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { RequestError, type NetworkFailure, type StatusFailure } from '../errors/failure';
import { findServiceMessage, MAX_BYTES, readBody, type Body } from '../responses/body';
import { isObject, isRecord } from '../responses/shapes';
import { CREDENTIAL, type Connection } from './connection';
import { Deadline } from './deadline';

/** How long n8n waits for data unless the user sets another timeout, in milliseconds. */
const DEFAULT_TIMEOUT = 300_000;

/** From so many bytes on, a response can come before all are sent. */
export const LARGE_UPLOAD = 1_000_000;

/** A body that is read while it is sent: opened for each attempt, closed after it. */
export interface StreamedBody {
	readonly size: number;
	readonly failure?: Error;
	/** Looks up what an attempt needs, when a slot is free. It has to call back when all of it was sent. */
	prepare(onSent: () => void): Promise<void>;
	close(): void;
}

/** A stream of Node.js, whose module the package can't import. */
export type ReadableContent = Exclude<
	Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
	Buffer
>;

/** Takes the body of a response of success while it arrives, in place of JSON. */
export interface Receiver {
	/** Why it can't: then no other error counts. */
	readonly failure?: Error;
	/** @param onPiece to be called with each piece: after too long without one, the request ends */
	receive(content: ReadableContent, onPiece: () => void): Promise<unknown>;
}

export interface WireRequest {
	method: IHttpRequestMethods;
	/** Encoded path below the base URL, or an absolute URL on the same origin. */
	path: string;
	json?: IDataObject;
	upload?: StreamedBody;
	headers?: Record<string, string>;
	/** By it, the service recognizes the request if it comes again, and only answers it. */
	idempotencyKey?: string;
	maxBytes?: number;
	receiver?: Receiver;
}

export interface WireSettings {
	context: Pick<IAllExecuteFunctions, 'helpers' | 'getNode'>;
	connection: Connection;
	/** Milliseconds that the service has for a whole response, once it has the whole request. */
	responseTimeout: number;
	canceled?: AbortSignal;
	requestOptions?: Partial<IHttpRequestOptions>;
}

export interface WireResponse {
	headers: Record<string, string | undefined>;
	body: Body;
}

type RawResponse = Pick<WireResponse, 'headers'> & { statusCode: number; body: unknown };

/** @throws RequestError, or UserError when a file can't be read */
export async function exchange(
	request: WireRequest,
	settings: WireSettings,
): Promise<WireResponse> {
	const { upload, receiver } = request;
	const deadline = new Deadline(settings.responseTimeout, settings.canceled);
	try {
		if (upload === undefined) deadline.start();
		else await upload.prepare(() => deadline.start());
		return await callHelper(request, settings, deadline).catch((error: unknown) => {
			throw receiver?.failure ?? toRequestError(error, deadline, upload);
		});
	} finally {
		deadline.close();
		upload?.close();
	}
}

async function callHelper(request: WireRequest, settings: WireSettings, deadline: Deadline) {
	const { context, connection } = settings;
	// In an execution, n8n replaces the signal of a request by this one.
	const caller = Object.create(context, {
		getExecutionCancelSignal: { value: () => deadline.signal },
	}) as IAllExecuteFunctions;
	const options = { ...getRequestOptions(request, settings), abortSignal: deadline.signal };
	const credentials = { credentialsDecrypted: connection.credential };
	const call = context.helpers.httpRequestWithAuthentication;
	const response: unknown = await call.call(caller, CREDENTIAL, options, credentials);
	const { statusCode: status, headers, body } = response as RawResponse;
	deadline.start();
	if (status < 300) return { headers, body: await readSuccess(body, request, deadline) };
	// The status of an error counts, even where its message is lost.
	const shown = await readBody(body, MAX_BYTES.error).catch((): Body => ({}));
	throw new RequestError(toStatusFailure(status, headers, shown));
}

async function readSuccess(body: unknown, request: WireRequest, deadline: Deadline): Promise<Body> {
	const { receiver, maxBytes = MAX_BYTES.record } = request;
	if (receiver === undefined) return await readBody(body, maxBytes);
	const value = await receiver.receive(body as ReadableContent, () => deadline.renew());
	return { value };
}

function toRequestError(error: unknown, deadline: Deadline, upload?: StreamedBody): Error {
	if (error instanceof RequestError) return error;
	if (upload?.failure !== undefined) return upload.failure;
	const refusal = upload && findRefusal(error);
	const seconds = deadline.isOver ? deadline.milliseconds / 1000 : undefined;
	const isSent = deadline.isRunning;
	return new RequestError(refusal ?? classifyNetworkError(error, { seconds, isSent }));
}

function getRequestOptions(request: WireRequest, settings: WireSettings) {
	const { method, path, json, upload, idempotencyKey } = request;
	const { connection, requestOptions, responseTimeout } = settings;
	const headers: Record<string, string> = { Accept: 'application/json' };
	if (json) headers['Content-Type'] = 'application/json';
	if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
	// A server that responds early then reads on, and neither side closes the connection with the response.
	if (upload && upload.size > LARGE_UPLOAD) headers.Connection = 'keep-alive';
	return {
		...requestOptions,
		timeout: requestOptions?.timeout ?? Math.max(DEFAULT_TIMEOUT, responseTimeout),
		skipSslCertificateValidation: connection.allowUnauthorizedCerts,
		method,
		url: path.startsWith('https://') ? path : `${connection.baseUrl}${path}`,
		headers: { ...headers, ...request.headers },
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

/** Of a code, and of messages in the lines after it: the HTTP client has one code for a timeout and a lost response. */
const PATTERNS: Array<[NetworkFailure['reason'], RegExp]> = [
	// Only a connection that was never made proves that the request was not sent.
	['unreachable', /^(ECONNREFUSED|ENOTFOUND|EAI_\w+)\n|\bconnect E|before secure TLS connection/],
	['unreachable', /from proxy CONNECT|receiving CONNECT/],
	['tls', /^(EPROTO|ERR_SSL_\w+)\n|^\w*(ALERT_|UNSUPPORTED_PROTOCOL)/],
	['timeout', /^(E(SOCKET)?TIMEDOUT\n|ECONNABORTED\n[^]*timeout)/i],
	['reset', /^(ECONN(ABORTED|RESET)|EPIPE|E(HOST|NET)UNREACH)\n/],
	['reset', /^(ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE)\n/],
	['canceled', /^ERR_CANCELED\n/],
	['certificate', /^\w*(CERT|SELF_SIGNED|ISSUER|ALTNAME|LEAF_SIGNATURE|CRL_)/],
];

/** @param state `isSent`: whether the HTTP client took the whole request */
export function classifyNetworkError(
	cause: unknown,
	{ seconds, isSent = true }: { seconds?: number; isSent?: boolean } = {},
): NetworkFailure {
	const causes = getCauses(seconds === undefined ? cause : { code: 'ETIMEDOUT', cause });
	const codes = causes.flatMap((one) => [one.code, one.httpCode]).map(String);
	const code = codes.find((entry) => /^[A-Z][A-Z\d_]+$/.test(entry)) ?? '';
	const places = causes.map(({ hostname, address, port }) => [hostname ?? address, port]);
	const place = places.map((parts) => parts.filter(Boolean).join(':')).find(Boolean);
	const messages = causes.map(({ message }) => String(message ?? ''));
	const said = [code, ...messages, ''].join('\n');
	const [reason] = PATTERNS.find(([, pattern]) => pattern.test(said)) ?? ['other'];
	const shown = code || (messages.find(Boolean) ?? 'no code');
	const isCut = reason === 'reset' && causes.some(({ syscall }) => syscall === 'write');
	return { kind: 'network', reason, code: shown, place, seconds, isIncomplete: isCut || !isSent };
}

/** A refusal whose body was lost, when the connection was closed during an upload. */
export function findRefusal(error: unknown): StatusFailure | undefined {
	for (const { request, response } of getCauses(error)) {
		const received = response ?? (isObject(request) ? request.res : undefined);
		const { statusCode, status = statusCode, headers = {} } = isObject(received) ? received : {};
		if (typeof status !== 'number' || status < 400) continue;
		return toStatusFailure(status, headers as WireResponse['headers'], {});
	}
	return undefined;
}

function toStatusFailure(status: number, headers: WireResponse['headers'], body: Body) {
	const { value, problem, isHtml } = body;
	const { code, newest } = isRecord(value) ? value : {};
	return {
		kind: 'status' as const,
		status,
		isHtml,
		serviceMessage: isHtml ? problem : findServiceMessage(value),
		code: typeof code === 'string' ? code : undefined,
		isInProgress: status === 409 && code === 'in_progress',
		isPasswordLimit: status === 429 && code === 'too_many_passwords',
		newestEvent: status === 409 && code === 'after_unknown' ? String(newest ?? 0) : undefined,
		location: headers.location,
		retryAfter: headers['retry-after'],
	};
}

/** The error and what it wraps, from the outside in; attempts to connect to several addresses are one error. */
function getCauses(error: unknown, levels = 5): Array<Record<string, unknown>> {
	if (!isObject(error) || levels === 0) return [];
	const attempts = [error.errors].flat().filter(isObject);
	return [error, ...attempts, ...getCauses(error.cause, levels - 1)];
}

import type {
	IAllExecuteFunctions,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { RequestError } from '../errors/failure';
import { MAX_BYTES, readBody, type Body } from '../responses/body';
import { CREDENTIAL, type Connection } from './connection';
import { Deadline } from './deadline';
import { classifyNetworkError, findRefusal, toStatusFailure } from './transportErrors';

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
	const { helpers } = settings.context;
	const credentials = { credentialsDecrypted: settings.connection.credential };
	const deadline = new Deadline(settings.responseTimeout, settings.canceled);
	const caller = withSignal(settings.context, deadline.signal);
	try {
		if (upload === undefined) deadline.onRequestSent();
		else await upload.prepare(() => deadline.onRequestSent());
		const options = { ...getRequestOptions(request, settings), abortSignal: deadline.signal };
		const call = helpers.httpRequestWithAuthentication.call(
			caller,
			CREDENTIAL,
			options,
			credentials,
		);
		return await call
			.then(async (response) => await readResponse(response as RawResponse, request, deadline))
			.catch((error: unknown) => {
				throw receiver?.failure ?? toRequestError(error, deadline, upload);
			});
	} finally {
		deadline.close();
		upload?.close();
	}
}

/** In an execution, n8n replaces the signal of a request by that of the context. */
function withSignal(context: WireSettings['context'], signal: AbortSignal) {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IAllExecuteFunctions;
}

async function readResponse(
	{ statusCode: status, headers, body }: RawResponse,
	request: WireRequest,
	deadline: Deadline,
): Promise<WireResponse> {
	deadline.onRequestSent();
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
	const isSent = deadline.isRequestSent;
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

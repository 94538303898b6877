import type {
	IAllExecuteFunctions,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { sleep } from 'n8n-workflow';

import type { RequestFailure } from '../errors/failure';
import type { ResponseMemory } from '../responses/memory';
import type { Body, BodyLimits } from '../responses/body';
import { ERROR_LIMITS, readBody } from '../responses/body';
import type { Connection } from './connection';
import { CREDENTIAL } from './connection';
import { Deadline } from './deadline';
import { takeBreak } from './delay';
import { classifyNetworkError, findRefusal } from './networkError';
import type { Turn } from './turn';

/** How long n8n waits for data unless the user sets another timeout, in milliseconds. */
const DEFAULT_TIMEOUT = 300_000;

/** A response can come before so many bytes are sent. */
export const LARGE_UPLOAD = 1_000_000;

/** How long an upload can stand still after its response, and how often to look, in milliseconds. */
const MAX_IDLE = 10_000;
const LOOK_INTERVAL = 50;

const EARLY_RESPONSE: RequestFailure = { kind: 'network', reason: 'early', code: 'no code' };

/** The status of an error counts, even where its message is lost. */
const LOST = { body: { kind: 'empty' as const }, memory: 0 };

/** A body that is streamed: opened for each attempt, closed after it. */
export interface Upload {
	readonly size: number;
	/** The error of reading it. */
	readonly failure?: Error;
	/** To be called when all of it was handed over. */
	onSent?: () => void;
	/** Bytes that were handed over so far. */
	readonly sentBytes: number;
	/** Looks up what the upload needs; called when a slot is free, so that few do so at a time. */
	prepare(): Promise<void>;
	close(): void;
}

/** One request over HTTP. */
export interface WireRequest {
	method: IHttpRequestMethods;
	/** Absolute. */
	url: string;
	json?: IDataObject;
	upload?: Upload;
	/** How large the response can be. */
	limits: BodyLimits;
	/** What is kept of other responses. */
	memory: ResponseMemory;
	/** In which a large response is read; whoever sends the request leaves it. */
	turn: Turn;
}

/** With what a request is sent. */
export interface WireSettings {
	context: Pick<IAllExecuteFunctions, 'helpers'>;
	connection: Connection;
	/** Milliseconds that the service has for a whole response, once it has the whole request. */
	responseTimeout: number;
	/** Ends the request. */
	cancelled?: AbortSignal;
	/** Timeout, proxy and the like. */
	requestOptions?: Partial<IHttpRequestOptions>;
}

export interface WireResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: Body;
	/** Bytes that the body takes, about. */
	memory: number;
}

/** Sends a request once, and reads the whole response. @throws UserError when a file can't be read */
export async function exchange(
	request: WireRequest,
	settings: WireSettings,
): Promise<WireResponse | { failure: RequestFailure }> {
	const { context, connection, responseTimeout, cancelled } = settings;
	const { upload } = request;
	await upload?.prepare();
	const deadline = new Deadline(responseTimeout, cancelled);
	let isSent = upload === undefined;
	let isAccepted = false;
	const onSent = () => {
		isSent = true;
		deadline.start();
	};
	if (upload === undefined) deadline.start();
	else upload.onSent = onSent;
	// In an execution, n8n replaces the signal of a request by this one.
	const caller = Object.create(context, {
		getExecutionCancelSignal: { value: () => deadline.signal },
	}) as IAllExecuteFunctions;
	try {
		const response = (await context.helpers.httpRequestWithAuthentication.call(
			caller,
			CREDENTIAL,
			getRequestOptions(request, settings, deadline.signal),
			{ credentialsDecrypted: connection.credential },
		)) as StreamedResponse;
		deadline.start();
		isAccepted = response.statusCode < 300;
		const received = await readResponse(response, request, deadline.signal);
		if (upload === undefined || !isAccepted || isSent) return received;
		// A gateway can answer before it has read everything: the files have to be there all the same.
		await waitWhileSending(upload, () => isSent);
		return isSent ? received : { failure: EARLY_RESPONSE };
	} catch (error) {
		if (upload?.failure !== undefined) throw upload.failure;
		// After a status of success, the container was created.
		if (isAccepted && cancelled?.aborted !== true && (upload !== undefined || !deadline.isOver)) {
			return { failure: isSent ? { kind: 'lostBody' } : EARLY_RESPONSE };
		}
		const network = classifyNetworkError(error);
		if (deadline.isOver) {
			const late = { kind: 'network', code: 'ETIMEDOUT' } as const;
			if (network.reason === 'handshake') return { failure: { ...late, reason: 'handshake' } };
			return { failure: { ...late, reason: 'timeout', seconds: responseTimeout / 1000 } };
		}
		const refusal = upload === undefined ? undefined : findRefusal(error);
		return refusal ? { ...refusal, ...LOST } : { failure: { kind: 'network', ...network } };
	} finally {
		deadline.end();
		upload?.close();
	}
}

/** Waits until all is sent, or nothing more was for a while. */
async function waitWhileSending(upload: Upload, isSent: () => boolean): Promise<void> {
	let lastBytes = -1;
	let idle = 0;
	while (!isSent() && idle < MAX_IDLE) {
		const { sentBytes } = upload;
		idle = sentBytes === lastBytes ? idle + LOOK_INTERVAL : 0;
		lastBytes = sentBytes;
		await sleep(LOOK_INTERVAL);
	}
}

function getRequestOptions(
	{ method, url, json, upload }: WireRequest,
	{ connection, requestOptions = {}, responseTimeout }: WireSettings,
	abortSignal: AbortSignal,
): IHttpRequestOptions {
	const { timeout = DEFAULT_TIMEOUT } = requestOptions;
	const body = upload ?? (json && JSON.stringify(json));
	return {
		...requestOptions,
		timeout: timeout < DEFAULT_TIMEOUT ? timeout : Math.max(timeout, responseTimeout),
		abortSignal,
		skipSslCertificateValidation: connection.allowUnauthorizedCerts,
		method,
		url,
		headers: {
			Accept: 'application/json',
			...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
			// A server that responds early then reads on, and neither side closes the connection with the response.
			...((upload?.size ?? 0) > LARGE_UPLOAD ? { Connection: 'keep-alive' } : {}),
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

type StreamedResponse = Omit<WireResponse, 'body' | 'memory'> & { body: unknown };

async function readResponse(
	{ statusCode, headers, body }: StreamedResponse,
	{ limits, memory, turn }: WireRequest,
	signal: AbortSignal,
): Promise<WireResponse> {
	const isSuccess = statusCode < 300;
	const reading = readBody(body, isSuccess ? limits : ERROR_LIMITS, {
		contentType: headers['content-type'],
		getFree: () => memory.free,
		takeTurn: async () => await turn.take(signal),
		takeBreak,
	});
	return { statusCode, headers, ...(await (isSuccess ? reading : reading.catch(() => LOST))) };
}

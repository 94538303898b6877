import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { Client, type ClientSettings } from '../../../nodes/shared/client/client';
import { Limiter } from '../../../nodes/shared/client/limiter';
import type { RequestFailure } from '../../../nodes/shared/errors/failure';
import { readBody, type Body } from '../../../nodes/shared/responses/body';

export const baseUrl = 'https://share.example.com/api/v1';

/** What the service responds with: a status and a body, the error of a request without a response, or nothing. */
export type Reply =
	| { status?: number; body?: unknown; headers?: Record<string, string> }
	| { error: Error }
	| 'nothing';

const node = { name: 'Tested', parameters: { resource: 'container', operation: 'get' } };

export const networkError = (code: string): Reply => ({
	error: Object.assign(new Error('failed'), { code }),
});

interface Exchange extends IHttpRequestOptions {
	/** The signal that n8n listens to in an execution. */
	executionSignal: AbortSignal;
}

let keys = 0;

/** Fails as the HTTP client does. */
async function untilAborted(signal: AbortSignal): Promise<never> {
	if (!signal.aborted) await once(signal, 'abort');
	throw Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' });
}

/** Lets everything run that waits for nothing. */
export const settle = async () => await new Promise((resolve) => setImmediate(resolve));

/** A client whose requests end where n8n would send them: the service responds with the replies in their order. */
export function setUpClient(
	replies: Reply[],
	settings: Partial<ClientSettings> & {
		concurrency?: number;
		allowUnauthorizedCerts?: boolean;
		containerUrl?: string;
		signal?: AbortSignal;
	} = {},
) {
	const sent: Exchange[] = [];
	keys += 1;
	const connection = {
		baseUrl,
		apiKey: `api-key-${keys}-of-the-service`,
		key: `key ${keys}`,
		containerUrl: settings.containerUrl ?? '',
		allowUnauthorizedCerts: settings.allowUnauthorizedCerts === true,
		credential: { id: '', name: '', type: 'encryptedContainersApi', data: { keys } },
	};
	const helpers = {
		async httpRequestWithAuthentication(
			this: { getExecutionCancelSignal(): AbortSignal },
			type: string,
			options: IHttpRequestOptions,
			{ credentialsDecrypted }: { credentialsDecrypted: unknown },
		) {
			expect(type).toBe('encryptedContainersApi');
			expect(credentialsDecrypted).toBe(connection.credential);
			sent.push({ ...options, executionSignal: this.getExecutionCancelSignal() });
			const reply = replies.shift();
			if (reply === undefined) throw new Error('An unexpected request');
			if (reply === 'nothing') return await untilAborted(options.abortSignal as AbortSignal);
			if ('error' in reply) throw reply.error;
			const { status = 200, body = '', headers = {} } = reply;
			const isSent = typeof body === 'string' || body instanceof Readable;
			const text = isSent ? body : JSON.stringify(body);
			return await Promise.resolve({ statusCode: status, headers, body: text });
		},
	};
	const { concurrency = 5, signal = new AbortController().signal } = settings;
	const limiter = new Limiter(connection.key, concurrency, signal);
	const context = { helpers, getNode: () => node } as unknown as ClientSettings['context'];
	const createClient = (more: Partial<ClientSettings> = {}): Client =>
		new Client({
			...{ context, connection, limiter, maxRetries: 0, responseTimeout: 60_000 },
			...settings,
			...more,
		});
	return { client: createClient(), createClient, sent, replies, connection };
}

export const getContainer = {
	method: 'GET',
	path: '/containers/c-1',
	action: 'get the container',
	subject: { containerId: 'c-1' },
} as const;

type ShownError = Error & { description: string; reason: RequestFailure };

/** The error of what is expected to fail. */
export async function errorOf(promise: Promise<unknown>): Promise<ShownError> {
	const { reason } = (await Promise.allSettled([promise]))[0] as PromiseRejectedResult;
	if (reason === undefined) throw new Error('It did not fail');
	return reason as ShownError;
}

/** Waits for a result while an hour passes on fake timers. */
export async function afterAnHour<T>(promise: Promise<T>): Promise<T> {
	const settled = Promise.allSettled([promise]);
	await jest.advanceTimersByTimeAsync(3_600_000);
	await settled;
	return await promise;
}

/** Reads and parses a body as the client does. */
export async function toBody(text: unknown): Promise<Body> {
	return await readBody(text, 64_000_000);
}

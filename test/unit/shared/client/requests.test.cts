import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { acceptObject } from '../../../../nodes/shared/client/accept';
import type { ServiceRequest } from '../../../../nodes/shared/client/client';
import type { StreamedBody } from '../../../../nodes/shared/client/transport';
import {
	baseUrl,
	errorOf,
	getContainer,
	networkError,
	setUpClient,
	settle,
	type Reply,
} from '../../support/client.cts';

const ok: Reply = { body: { uuid: 'c-1' } };
const encode = {
	method: 'POST',
	path: '/users/u/containers/encode',
	action: 'encode the files',
	subject: { creates: 'container' },
} as const;

function createUpload(more: Partial<StreamedBody> = {}) {
	const calls: string[] = [];
	let sendAll = () => undefined as void;
	const upload = {
		size: 10,
		async prepare(onSent) {
			sendAll = onSent;
			await Promise.resolve(calls.push('prepare'));
		},
		close: () => void calls.push('close'),
		...more,
	} as StreamedBody;
	return { upload, calls, sendAll: () => sendAll() };
}

describe('a request', () => {
	const proxy = { host: 'proxy.example.com', port: 3128 };
	const { upload } = createUpload();
	const { upload: largeUpload } = createUpload({ size: 1_000_001 });
	const Accept = 'application/json';
	const plain = {
		...{ method: 'GET', url: `${baseUrl}/containers/c-1`, headers: { Accept }, body: undefined },
		...{ encoding: 'stream', returnFullResponse: true, ignoreHttpStatusErrors: true },
		...{ disableFollowRedirect: true, skipSslCertificateValidation: false, timeout: 300_000 },
	};
	const json = { body: '{"opens":3}', headers: { Accept, 'Content-Type': 'application/json' } };
	const kept = { body: largeUpload, headers: { Accept, Connection: 'keep-alive' } };
	const unsafe = { skipSslCertificateValidation: true };
	const headers = { Accept, 'If-Match': '"2"' };

	it.each<[string, Parameters<typeof setUpClient>[1], Partial<ServiceRequest>, object]>([
		['its path below the base URL, and no body', {}, {}, plain],
		['an absolute URL', {}, { path: `${baseUrl}/x?page=2` }, { url: `${baseUrl}/x?page=2` }],
		['JSON as text', {}, { method: 'PATCH', json: { opens: 3 } }, json],
		['headers of its own', {}, { headers: { 'If-Match': '"2"' } }, { headers }],
		['an upload', {}, { upload }, { body: upload, headers: { Accept } }],
		['a large upload, whose connection it asks to keep', {}, { upload: largeUpload }, kept],
		['the certificate ignored', { allowUnauthorizedCerts: true }, {}, unsafe],
		['a proxy', { requestOptions: { proxy } }, {}, { proxy }],
		['a longer response timeout', { responseTimeout: 600_000 }, {}, { timeout: 600_000 }],
		['a timeout', { requestOptions: { timeout: 1000 } }, {}, { timeout: 1000 }],
	])('is sent once, with %s', async (_what, settings, more, expected) => {
		const { client, sent } = setUpClient([ok], settings);
		const { object } = await client.request({ ...getContainer, ...more }, acceptObject);
		expect([object, sent.length]).toEqual([{ uuid: 'c-1' }, 1]);
		for (const [name, value] of Object.entries(expected)) {
			expect([name, sent[0][name as keyof (typeof sent)[0]]]).toEqual([name, value]);
		}
	});
});

describe('an upload', () => {
	it('is prepared before it is sent, and closed after it', async () => {
		const { upload, calls } = createUpload();
		const body = Readable.from([Buffer.from('{"uuid":"c-1"}')]);
		// A response before all files were sent counts.
		await setUpClient([{ body }]).client.request({ ...encode, upload }, acceptObject);
		expect(calls).toEqual(['prepare', 'close']);
	});

	it('is not sent when its files are not there, and fails with that', async () => {
		const { client, sent } = setUpClient([ok]);
		const prepare = async () => await Promise.reject(new Error('No file'));
		const { upload } = createUpload({ prepare });
		await expect(client.request({ ...encode, upload }, acceptObject)).rejects.toThrow('No file');
		expect(sent).toEqual([]);
	});

	it('fails with the error of reading its files, not that of the connection', async () => {
		const { client } = setUpClient([networkError('ECONNRESET')]);
		const { upload, calls } = createUpload({ failure: new Error('The file changed') });
		await expect(client.request({ ...encode, upload }, acceptObject)).rejects.toThrow(
			'The file changed',
		);
		expect(calls).toEqual(['prepare', 'close']);
	});

	it.each([
		[true, /larger than the service accepts/],
		[false, /closed the connection before its response/],
	])('that the service refuses and cuts off fails with its status: %s', async (has, message) => {
		const refusal = { code: 'EPIPE', response: { status: 413, headers: {} } };
		const { client } = setUpClient([{ error: Object.assign(new Error('x'), refusal) }]);
		const { upload } = createUpload();
		const error = await errorOf(
			client.request(has ? { ...encode, upload } : getContainer, acceptObject),
		);
		expect(error.message).toMatch(message);
	});
});

it('the time of a response starts once for an upload, when all of it was sent', async () => {
	jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
	const { client, sent } = setUpClient(['nothing'], { responseTimeout: 7000 });
	const { upload, sendAll } = createUpload();
	const request = errorOf(client.request({ ...encode, upload }, acceptObject));
	await jest.advanceTimersByTimeAsync(60_000);
	sendAll();
	await jest.advanceTimersByTimeAsync(6000);
	sendAll();
	expect(sent[0].executionSignal).toBe(sent[0].abortSignal);
	expect(sent[0].abortSignal?.aborted).toBe(false);
	await jest.advanceTimersByTimeAsync(1000);
	jest.useRealTimers();
	expect((await request).message).toMatch(/did not respond in time \(within 7 s\)/);
});

it('requests leave no listener at the signal of the execution', async () => {
	const { signal } = new AbortController();
	const { client } = setUpClient([ok, { status: 403 }], { canceled: signal });
	await client.request(getContainer, acceptObject);
	await errorOf(client.request(getContainer, acceptObject));
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('a cancellation ends a request and those that follow, not those before', async () => {
	const controller = new AbortController();
	const { client, sent } = setUpClient([ok, 'nothing', 'nothing'], {
		canceled: controller.signal,
	});
	await client.request(getContainer, acceptObject);
	const request = errorOf(client.request(getContainer, acceptObject));
	await settle();
	controller.abort();
	for (const error of [request, errorOf(client.request(getContainer, acceptObject))]) {
		expect((await error).message).toBe('The execution was canceled');
	}
	expect(sent.map(({ abortSignal }) => abortSignal?.aborted)).toEqual([false, true, true]);
});

const me = (id: unknown, more = {}): Reply => ({ body: { id, ...more } });

describe('the user of an API key', () => {
	it('is asked for once by a client, and can be a number', async () => {
		const { client, sent } = setUpClient([me(17)]);
		const users = [client.getCurrentUser(), client.getCurrentUser()];
		expect((await Promise.all(users)).map(({ id }) => id)).toEqual(['17', '17']);
		expect(sent.map(({ url }) => url)).toEqual([`${baseUrl}/me`]);
	});

	it.each([
		[
			['etag', 'events'],
			['etag', 'events'],
		],
		['etag', []],
	])('supports what the service lists: %j', async (features, expected) => {
		const { client } = setUpClient([me('user-1', { features })]);
		expect((await client.getCurrentUser()).features).toEqual(expected);
	});

	it.each(['', null, true])('is not %j', async (id) => {
		expect((await errorOf(setUpClient([me(id)]).client.getCurrentUser())).message).toMatch(
			/JSON object .*instead of a user with an id for the request to find the user of the API key/,
		);
	});
});

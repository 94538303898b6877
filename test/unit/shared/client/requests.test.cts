import { Readable } from 'node:stream';

import type { Upload } from '../../../../nodes/shared/client/client';
import {
	baseUrl,
	errorOf,
	getContainer,
	mockTimeouts,
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
	idempotent: false,
} as const;

function createUpload(more: Partial<Upload> = {}) {
	const calls: string[] = [];
	const upload: Upload = {
		size: 10,
		isLarge: false,
		prepare: async () => void (await Promise.resolve(calls.push('prepare'))),
		close: () => void calls.push('close'),
		...more,
	};
	return { upload, calls };
}

describe('a request', () => {
	it('is sent to its path below the base URL, once, without a body', async () => {
		const { client, sent } = setUpClient([ok]);

		expect(await client.requestObject(getContainer)).toEqual({ uuid: 'c-1' });

		expect(sent).toHaveLength(1);
		const { method, url, headers, encoding } = sent[0];
		expect([method, url]).toEqual(['GET', `${baseUrl}/containers/c-1`]);
		expect(headers).toEqual({ Accept: 'application/json' });
		expect(sent[0]).not.toHaveProperty('body');
		expect(encoding).toBe('stream');
		expect(sent[0]).toMatchObject({
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			skipSslCertificateValidation: false,
		});
	});

	it('is sent to an absolute URL unchanged', async () => {
		const { client, sent } = setUpClient([ok]);
		await client.requestObject({ ...getContainer, path: `${baseUrl}/x?page=2` });
		expect(sent[0].url).toBe(`${baseUrl}/x?page=2`);
	});

	it('contains JSON as text, with its content type', async () => {
		const { client, sent } = setUpClient([ok]);
		await client.requestObject({ ...getContainer, method: 'PATCH', json: { opens: 3 } });
		expect(sent[0].body).toBe('{"opens":3}');
		expect(sent[0].headers).toEqual({
			Accept: 'application/json',
			'Content-Type': 'application/json',
		});
	});

	it('ignores the certificate where the credential says so', async () => {
		const { client, sent } = setUpClient([ok], { allowUnauthorizedCerts: true });
		await client.requestObject(getContainer);
		expect(sent[0].skipSslCertificateValidation).toBe(true);
	});

	it.each([
		[undefined, 60, 300],
		[undefined, 600, 600],
		[1, 60, 1],
		[299, 600, 299],
		[300, 600, 600],
		[700, 600, 700],
	])(
		'with the timeout %s and the response timeout %i waits %i seconds for data',
		async (timeout, responseTimeout, expected) => {
			const requestOptions = timeout === undefined ? undefined : { timeout: timeout * 1000 };
			const { client, sent } = setUpClient([ok], {
				requestOptions,
				responseTimeout: responseTimeout * 1000,
			});
			await client.requestObject(getContainer);
			expect(sent[0].timeout).toBe(expected * 1000);
		},
	);

	it('goes through the proxy of the Request Options', async () => {
		const proxy = { host: 'proxy.example.com', port: 3128 };
		const { client, sent } = setUpClient([ok], { requestOptions: { proxy } });
		await client.requestObject(getContainer);
		expect(sent[0].proxy).toEqual(proxy);
	});
});

describe('an upload', () => {
	it.each([true, false])('asks to keep the connection only if it is large: %s', async (isLarge) => {
		const { client, sent } = setUpClient([ok]);
		const { upload, calls } = createUpload({ isLarge });

		await client.requestObject({ ...encode, upload });

		expect(sent[0].body).toBe(upload);
		expect(sent[0].headers?.Connection).toBe(isLarge ? 'keep-alive' : undefined);
		expect(sent[0].headers).not.toHaveProperty('Content-Type');
		expect(calls).toEqual(['prepare', 'close']);
	});

	it('is not sent when its files are not there, and fails with that', async () => {
		const { client, sent } = setUpClient([ok]);
		const { upload } = createUpload({
			prepare: async () => await Promise.reject(new Error('No file')),
		});
		await expect(client.requestObject({ ...encode, upload })).rejects.toThrow('No file');
		expect(sent).toEqual([]);
	});

	it('fails with the error of reading its files, not that of the connection', async () => {
		const { client } = setUpClient([networkError('ECONNRESET')]);
		const { upload, calls } = createUpload({ failure: new Error('The file changed') });
		await expect(client.requestObject({ ...encode, upload })).rejects.toThrow('The file changed');
		expect(calls).toEqual(['prepare', 'close']);
	});

	it('that the service refuses and cuts off fails with its status', async () => {
		const refusal = { code: 'EPIPE', response: { status: 413, headers: {} } };
		const replies = () => [{ error: Object.assign(new Error('x'), refusal) }];
		const { upload } = createUpload({ size: 2_500_000 });

		const error = await errorOf(setUpClient(replies()).client.requestObject({ ...encode, upload }));
		expect(error.httpCode).toBe('413');
		expect(error.message).toMatch(/larger than the service accepts \(2\.5 MB in total\)/);

		const other = await errorOf(setUpClient(replies()).client.requestObject(getContainer));
		expect(other.message).toMatch(/closed the connection before it responded/);
	});
});

describe('the time of a response', () => {
	afterEach(() => jest.restoreAllMocks());

	it('ends the request, and the error tells it in seconds', async () => {
		const timeouts = mockTimeouts();
		const { client, sent } = setUpClient(['nothing'], { responseTimeout: 7000 });
		const request = errorOf(client.requestObject(getContainer));
		await settle();
		expect(timeouts.map(({ milliseconds }) => milliseconds)).toEqual([7000]);
		expect(sent[0].executionSignal).toBe(sent[0].abortSignal);

		timeouts[0].end();

		expect((await request).message).toMatch(/did not send a complete response within 7 seconds/);
	});

	it('starts for an upload when all of it was sent', async () => {
		const timeouts = mockTimeouts();
		const { client } = setUpClient(['nothing']);
		const { upload } = createUpload();
		const request = errorOf(client.requestObject({ ...encode, upload }));
		await settle();
		expect(timeouts).toEqual([]);

		upload.onSent?.();
		upload.onSent?.();
		expect(timeouts).toHaveLength(1);
		timeouts[0].end();

		expect((await request).message).toMatch(/did not send a complete response/);
	});

	it('starts with the response to an upload that was not read to its end', async () => {
		const timeouts = mockTimeouts();
		const body = new Readable({ read: () => undefined });
		const { client, sent } = setUpClient([{ body }]);
		const { upload } = createUpload();
		const request = errorOf(client.requestObject({ ...encode, upload }));
		await settle();
		(sent[0].abortSignal as AbortSignal).onabort = () => body.destroy(new Error('aborted'));

		timeouts[0].end();

		expect((await request).message).toMatch(/did not send a complete response/);
	});

	it('does not end a request that is over', async () => {
		const timeouts = mockTimeouts();
		const { client, sent } = setUpClient([ok]);
		await client.requestObject(getContainer);

		timeouts[0].end();

		expect(sent[0].abortSignal?.aborted).toBe(false);
	});
});

describe('a cancellation', () => {
	it('ends a request', async () => {
		const controller = new AbortController();
		const { client } = setUpClient(['nothing'], { cancelled: controller.signal });
		const request = errorOf(client.requestObject(getContainer));
		await settle();

		controller.abort();

		expect((await request).message).toBe('The execution was canceled');
	});

	it('ends those that follow, not those before', async () => {
		const controller = new AbortController();
		const { client, sent } = setUpClient([ok, ok], { cancelled: controller.signal });

		await client.requestObject(getContainer);
		controller.abort();
		await client.requestObject(getContainer);

		expect(sent.map(({ abortSignal }) => abortSignal?.aborted)).toEqual([false, true]);
	});
});

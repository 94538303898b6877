import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';
import { runListSearch, runNode, runPoll, storeBinary } from '../support/engine.cts';
import { httpsService } from './support/httpsService.cts';
import { containerId, sequential, userId } from './support/operations.cts';
import { base } from './support/uploads.cts';

const MB = 1_000_000;
const GET = { resource: 'container', operation: 'get', containerId: containerId('c-1') };
const LIST = { resource: 'container', operation: 'getAll', returnAll: true };

const service = httpsService();

const run = async (parameters: object, options: object = {}) =>
	await runNode({
		parameters: { ...parameters, options: { userId, ...sequential, ...options } },
		credentials: { baseUrl: service.baseUrl },
	});

const poll = async (options: object = {}) =>
	await runPoll({
		parameters: { event: 'containerCreated', options: { userId, ...sequential, ...options } },
		credentials: { baseUrl: service.baseUrl },
	});

/** A JSON text of so many bytes: an object with one long name. */
const objectOf = (bytes: number) => {
	const [start, end] = ['{"uuid":"c-1","name":"', '"}'];
	return `${start}${'a'.repeat(bytes - start.length - end.length)}${end}`;
};

const send = (response: ServerResponse, body: string | Buffer, headers: object = {}) => {
	response.writeHead(200, { 'content-type': 'application/json', ...headers });
	response.end(body);
};

/** Sends one byte after the other, and never ends. */
const drip = (response: ServerResponse, status = 200) => {
	response.writeHead(status, { 'content-type': 'application/json' });
	const timer = setInterval(() => response.write(' '), 50);
	response.on('close', () => clearInterval(timer));
};

/** A list whose entries take so many million bytes, of many small objects each. */
const tinyListOf = (mb: number) => {
	const entry = `{"uuid":"c-1","name":"a","x":[${'{},'.repeat(1000)}{}]}`;
	return `[${`${entry},`.repeat(Math.floor((mb * MB) / 83_000))}${entry}]`;
};

/** A record whose values take nearly the 40 MB of memory that one can. */
const tinyRecord = `{"uuid":"c-1","a":[${'[{},{}],'.repeat(170_000)}1]}`;

describe('responses together', () => {
	const users = Array.from({ length: 5 }, (_, index) => ({ json: { user: `user-${index}` } }));
	const runAll = async (parameters: INodeParameters, body: string) => {
		service.respond = (_request, response) => send(response, body);
		const { items } = await runNode({
			parameters: { ...parameters, options: { userId: '={{ $json.user }}' } },
			items: users,
			credentials: { baseUrl: service.baseUrl },
			onError: 'continueRegularOutput',
		});
		return items.map(({ json }) => json);
	};

	it('are not kept where n8n could not save all of them', async () => {
		const output = await runAll(
			{ ...GET, operation: 'getEnvelope' },
			`{"container":${tinyRecord}}`,
		);

		const errors = output.filter((json) => 'error' in json);
		expect(errors).toHaveLength(3);
		for (const { error } of errors) {
			expect(error).toMatch(
				/^The (node would return more data than n8n can handle|service returned values that take more than 150 MB of memory, together with those before) /,
			);
		}
	}, 60_000);

	it('are read one after the other, where they are large and not kept', async () => {
		const output = await runAll({ ...LIST, returnAll: false, limit: 1 }, tinyListOf(120));

		expect(output.map(({ uuid }) => uuid)).toEqual(users.map(() => 'c-1'));
	}, 60_000);
});

describe('a response', () => {
	it.each<[string, (text: string) => Buffer]>([
		['gzip', gzipSync],
		['br', brotliCompressSync],
	])('is decompressed: %s', async (encoding, compress) => {
		service.respond = (_request, response) =>
			send(response, compress('{"uuid":"c-1","name":"Zoë"}'), { 'content-encoding': encoding });

		const { items } = await run(GET);

		expect(items[0].json).toEqual({ uuid: 'c-1', name: 'Zoë' });
	});

	it('is decoded as its charset says, wherever its chunks end', async () => {
		service.respond = (_request, response) => {
			response.writeHead(200, { 'content-type': 'application/json; charset=utf-16le' });
			const bytes = Buffer.from('{"uuid":"c-1","name":"Zoë 🔒"}', 'utf16le');
			for (const byte of bytes) response.write(Buffer.of(byte));
			response.end();
		};

		const { items } = await run(GET);

		expect(items[0].json).toEqual({ uuid: 'c-1', name: 'Zoë 🔒' });
	});

	it.each<[string, (text: Buffer) => Buffer]>([
		['gzip', gzipSync],
		['br', (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
	])(
		'that unpacks to 1 GB needs little memory: %s',
		async (encoding, compress) => {
			// Compressed in parts: both formats allow one after the other only for gzip, so Brotli gets one of 250 MB.
			const part = compress(Buffer.alloc(250 * MB, ' '));
			const body = encoding === 'gzip' ? Buffer.concat([part, part, part, part]) : part;
			service.respond = (_request, response) =>
				send(response, body, { 'content-encoding': encoding });
			let peak = 0;
			const start = process.memoryUsage.rss();
			const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);

			const { error } = await run(GET);

			clearInterval(timer);
			expect(error?.message).toMatch(/more than 8 MB/);
			expect(peak - start).toBeLessThan(100 * MB);
		},
		60_000,
	);

	it('of an error of any length is an error of its status', async () => {
		service.respond = (_request, response) => {
			response.writeHead(403, { 'content-type': 'application/json' });
			response.end(objectOf(20 * MB));
		};

		const { error } = await run(GET);

		expect(error?.httpCode).toBe('403');
		expect(error?.description).toMatch(/returned no message/);
	});
});

describe('a response that never ends', () => {
	it('fails after the Response Timeout, each try', async () => {
		service.respond = (_request, response) => drip(response);

		const { error } = await run(GET, { responseTimeout: 1, maxRetries: 1 });

		expect(error?.message).toMatch(/did not send a complete response within 1 second /);
		expect(error?.description).toMatch(/Options > Response Timeout.*Tried 2 times/);
		expect(service.requests).toHaveLength(2);
	});

	it('does not count the time of the upload', async () => {
		service.respond = (request, response) => {
			// Longer than the timeout, and too much for the buffers between the two.
			setTimeout(() => request.resume(), 1500);
			request.on('end', () => send(response, '{"container":{"uuid":"c-1"}}'));
		};
		const data = await storeBinary(Buffer.alloc(30 * MB), {
			fileName: 'a.bin',
			mimeType: 'text/plain',
		});

		const { error } = await runNode({
			parameters: { ...base, options: { userId, ...sequential, responseTimeout: 1 } },
			items: [{ json: {}, binary: { data } }],
			credentials: { baseUrl: service.baseUrl },
		});

		expect(error?.message).toBeUndefined();
	});

	it('fails the poll, and the next one polls again', async () => {
		service.respond = (_request, response) => drip(response);

		const { error } = await poll({ responseTimeout: 1 });
		expect(error?.message).toMatch(/did not send a complete response within 1 second /);

		service.respond = (_request, response) => send(response, '[]');
		expect((await poll()).error).toBeUndefined();
	});

	it('ends a picker after ten seconds', async () => {
		service.respond = (_request, response) => drip(response);

		const search = runListSearch({
			method: 'searchContainers',
			parameters: { options: { userId } },
			credentials: { baseUrl: service.baseUrl },
		});

		await expect(search).rejects.toThrow(/could not list the containers within 10 seconds/);
	}, 20_000);

	it('ends with the execution', async () => {
		service.respond = (_request, response) => drip(response);

		const { status } = await runNode({
			parameters: { ...GET, options: sequential },
			credentials: { baseUrl: service.baseUrl },
			cancelAfterMs: 200,
		});

		expect(status).toBe('canceled');
	});
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { runNode, storeBinary } from '../../../support/engine.cts';
import { httpsService, type Respond } from '../../support/httpsService.cts';
import { sequential, userId } from '../../support/operations.cts';
import { base, expectAllClosed } from '../../support/uploads.cts';

const RUNS = 8;
const SMALL = Buffer.alloc(1000, 'a small file ');
const LARGE = Buffer.alloc(5_000_000, 'a large file ');
const MESSAGE = 'Refused before the files';

const service = httpsService();

afterEach(expectAllClosed);

const refuse = (response: ServerResponse, status: number, headers = {}) => {
	const body = JSON.stringify({ message: MESSAGE });
	response.writeHead(status, { 'content-type': 'application/json', ...headers });
	response.end(body);
};

/** Calls `then` as soon as so many bytes of the body have arrived, and reads no further. */
const afterBytes = (request: IncomingMessage, count: number, then: () => void) => {
	let bytes = 0;
	const onData = (chunk: Buffer) => {
		bytes += chunk.length;
		if (bytes < count) return;
		request.off('data', onData).pause();
		then();
	};
	request.on('data', onData);
};

const encode = async (content: Buffer) => {
	const details = { fileName: 'file.bin', mimeType: 'application/octet-stream' };
	const data = await storeBinary(content, details);
	return await runNode({
		parameters: { ...base, options: { userId, ...sequential } },
		items: [{ json: {}, binary: { data } }],
		credentials: { baseUrl: service.baseUrl },
	});
};

describe('a service that refuses a large upload early and closes the connection', () => {
	describe.each<[string, (status: number) => Respond]>([
		[
			'by its headers',
			(status) => (_request, response) => refuse(response, status, { connection: 'close' }),
		],
		[
			'by its manifest',
			(status) => (request, response) =>
				afterBytes(request, 100, () => refuse(response, status, { connection: 'close' })),
		],
		[
			'when it has read a part of the file',
			(status) => (request, response) =>
				afterBytes(request, 1_000_000, () => {
					refuse(response, status);
					// Like most services, it reads what still comes.
					request.resume();
				}),
		],
	])('%s', (_when, respondWith) => {
		it.each([
			[413, /files are larger than the service accepts \(5\.0 MB in total\)/],
			[401, /did not accept the API key/],
			[403, /no permission to encode the files/],
		])(
			`is understood each time (status %d)`,
			async (status, message) => {
				service.respond = respondWith(status);

				for (let run = 0; run < RUNS; run += 1) {
					const { error } = await encode(LARGE);

					expect(error?.message).toMatch(message);
					expect(error?.description).toContain(MESSAGE);
					expect(error?.description).not.toMatch(/might have been created/i);
				}
				expect(service.requests).toHaveLength(RUNS);
			},
			30_000,
		);
	});

	it('is understood by its status when the connection breaks within the response', async () => {
		service.respond = (request, response) =>
			afterBytes(request, 1_000_000, () => {
				response.writeHead(413, { 'content-type': 'text/plain', 'content-length': '1000' });
				response.write('Too');
				setTimeout(() => request.socket.destroy(), 50);
			});

		const { error } = await encode(LARGE);

		expect(error?.message).toMatch(/files are larger than the service accepts/);
		expect(error?.description).not.toMatch(/might have been created/i);
	});

	it('is reported as an unknown outcome when no response arrives', async () => {
		service.respond = (request) => afterBytes(request, 1_000_000, () => request.socket.destroy());

		const { error } = await encode(LARGE);

		expect(error?.message).toMatch(/closed the connection during the upload \(5\.0 MB in total\)/);
		expect(error?.description).toMatch(/might be larger than the service accepts/);
		expect(error?.description).toMatch(/container might have been created/);
	});

	it('is a container whose ID is unknown when a response of success breaks off', async () => {
		service.respond = (request, response) =>
			afterBytes(request, 1_000_000, () => {
				response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
				response.write('{"container":');
				setTimeout(() => request.socket.destroy(), 50);
			});

		// More than the buffers of the connection hold.
		const { error } = await encode(Buffer.alloc(30_000_000, 'a larger file '));

		expect(error?.message).toMatch(/responded before it had received all files/);
		expect(error?.description).toMatch(/container might have been created/);
	});
});

describe('an upload', () => {
	/** How long the body of each upload takes, from the headers to its end. */
	const measure = async (content: Buffer) => {
		let duration = Number.NaN;
		service.respond = (request, response) => {
			const start = performance.now();
			request.resume().on('end', () => {
				duration = performance.now() - start;
				response.writeHead(200, { 'content-type': 'application/json' });
				response.end(JSON.stringify({ container: { uuid: 'c-1' } }));
			});
		};
		const { error } = await encode(content);
		expect(error).toBeUndefined();
		return duration;
	};

	it('gives the service time to refuse it when it is large', async () => {
		expect(await measure(LARGE)).toBeGreaterThan(250);
		expect(service.requests[0].headers.connection).toBe('keep-alive');
	});

	it('does not wait when it is small', async () => {
		const durations: number[] = [];
		for (let run = 0; run < RUNS; run += 1) durations.push(await measure(SMALL));

		expect(Math.min(...durations)).toBeLessThan(250);
		expect(service.requests[0].headers.connection).toBe('close');
	});
});

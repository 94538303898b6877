import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { runNode, storeBinary, type RunNodeOptions } from '../../../support/engine.cts';
import { httpsService, type Respond } from '../../support/httpsService.cts';
import { sequential, userId, withOptions } from '../../support/operations.cts';
import { base, expectAllClosed } from '../../support/uploads.cts';

const RUNS = 8;
const SMALL = Buffer.alloc(1000, 'a small file ');
const LARGE = Buffer.alloc(5_000_000, 'a large file ');
const MESSAGE = 'Refused before the files';

const service = httpsService();

afterEach(expectAllClosed);

const refuse = (response: ServerResponse, headers = {}) => {
	const body = JSON.stringify({ message: MESSAGE });
	response.writeHead(413, { 'content-type': 'application/json', ...headers });
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

const encode = async (
	content: Buffer,
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) => {
	const data = await storeBinary(content, { fileName: 'file.bin', mimeType: 'a/b' });
	return await runNode({
		parameters: withOptions(base, { userId, ...sequential, ...options }),
		items: [{ json: {}, binary: { data } }],
		credentials: { baseUrl: service.baseUrl },
		...more,
	});
};

describe('a service that refuses a large upload early and closes the connection', () => {
	it.each<[string, Respond]>([
		['by its headers', (_request, response) => refuse(response, { connection: 'close' })],
		[
			'by its manifest',
			(request, response) =>
				afterBytes(request, 100, () => refuse(response, { connection: 'close' })),
		],
		[
			'when it has read a part of the file',
			(request, response) =>
				afterBytes(request, 1_000_000, () => {
					refuse(response);
					// Like most services, it reads what still comes.
					request.resume();
				}),
		],
	])(
		'%s, is understood each time',
		async (_when, respond) => {
			service.respond = respond;

			for (let run = 0; run < RUNS; run += 1) {
				const { error } = await encode(LARGE);

				expect(error?.message).toMatch(/larger than the service accepts/);
				expect(error?.description).toContain(MESSAGE);
				expect(error?.description).not.toMatch(/might have been created/i);
			}
			expect(service.requests).toHaveLength(RUNS);
		},
		30_000,
	);

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

		expect(error?.message).toMatch(/closed the connection during the upload/);
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

		expect(error?.message).toMatch(/"Invoice" was created, but its ID is unknown/);
	});
});

/** What a server does with a connection before it is secure. */
const drops: Array<[string, (socket: Socket) => void]> = [
	['closed at once', (socket) => socket.destroy()],
	['closed during the handshake', (socket) => socket.once('data', () => socket.end())],
	['reset during the handshake', (socket) => socket.once('data', () => socket.resetAndDestroy())],
	['never secure', () => undefined],
];

describe('an upload whose connection is', () => {
	it.each(drops)('%s is sent again, and nothing is in doubt', async (_how, drop) => {
		let connections = 0;
		const server = createServer((socket) => {
			connections += 1;
			socket.on('error', () => undefined);
			drop(socket);
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;

		const { error } = await encode(
			SMALL,
			{ maxRetries: 1, responseTimeout: 1 },
			{ credentials: { baseUrl: `https://127.0.0.1:${port}/api/v1` } },
		);
		server.close();

		expect(connections).toBe(2);
		expect(error?.description).toMatch(/Tried 2 times\./);
		expect(`${error?.message} ${error?.description}`).not.toMatch(/might have|larger/);
	});
});

import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import * as net from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runListSearch, runNode, type RunNodeOptions } from '../support/engine.cts';
import { never, rewrite, type Handler } from '../support/proxy.cts';
import { stretchTimes } from '../support/times.cts';
import { storedFile, useUploads } from './support/encode.cts';
import { byId, userId } from './support/operations.cts';

const { service, encode: encodeItems, posts } = useUploads();

const run = async (options: object = {}, more: INodeParameters = {}, settings: object = {}) =>
	await runNode({
		parameters: {
			...{ resource: 'container', operation: 'get', ...byId('c-1'), ...more },
			options: { userId, maxRetries: 0, ...options },
		},
		credentials: service.credentials,
		...settings,
	});

const search = async (requestOptions: object) =>
	await runListSearch({
		method: 'searchContainers',
		parameters: { options: { userId: service.userId }, requestOptions } as never,
		credentials: service.credentials,
	});

describe('a response', () => {
	const respond = (body: Buffer, encoding: string) =>
		service.on({}, async () => ({
			...{ status: 200, body, headers: { 'content-encoding': encoding } },
		}));

	it('is decompressed', async () => {
		respond(brotliCompressSync('{"uuid":"c-1","name":"Zoë"}'), 'br');

		expect((await run()).items[0].json).toMatchObject({ uuid: 'c-1', name: 'Zoë' });
	});

	it('that unpacks to more than the node reads is an error', async () => {
		respond(gzipSync(Buffer.alloc(100_000_000, ' ')), 'gzip');

		expect((await run()).error?.message).toMatch(/more than 8 MB/);
	});
});

describe('a response that never ends', () => {
	/** Sends one byte after the other. */
	const drip: Handler = async () => {
		const bytes = async function* () {
			for (;;) {
				yield ' ';
				await wait(50);
			}
		};
		return { status: 200, body: Readable.from(bytes()) };
	};
	beforeEach(() => void service.on({ times: Infinity }, drip));

	it('fails after the Response Timeout, each try', async () => {
		const { error } = await run({ responseTimeout: 3, maxRetries: 1 });

		expect(error?.message).toMatch(/did not respond in time \(within 3 s\) /);
		expect(error?.description).toMatch(/Options > Response Timeout.*Tried 2 times/);
		expect(service.requests).toHaveLength(2);
	});

	it('ends with the execution', async () => {
		expect((await run({}, {}, { cancelAfterMs: 200 })).status).toBe('canceled');
	});
});

describe('an upload', () => {
	const RUNS = 4;
	const LARGE = Buffer.alloc(5_000_000, 'a large file ');
	const MESSAGE = 'Refused before the files';

	afterEach(() => jest.restoreAllMocks());

	/** The node waits for a refusal for a part of a second, in which a slow machine can not refuse. */
	const waitLongForRefusals = () => stretchTimes(5);

	/** Without keys, nothing is sent again of which nobody knows what became. */
	beforeEach(() => {
		const features = rewrite((user) => ({ ...(user as object), features: [] }));
		service.on({ path: /\/me$/, times: Infinity }, features);
	});

	const encode = async (
		content: Buffer,
		options: IDataObject = {},
		more: Partial<RunNodeOptions> = {},
	) => {
		const data = await storedFile(content, 'file.bin');
		return await encodeItems([{ json: {}, binary: { data } }], { options }, more);
	};

	const refusal = { status: 413, body: JSON.stringify({ message: MESSAGE }) };
	const closing = { ...refusal, headers: { connection: 'close' } };
	const afterBytes =
		(bytes: number, reply: Awaited<ReturnType<Handler>>): Handler =>
		async ({ read }) => {
			await read(bytes);
			return reply;
		};

	it.each<[string, Handler]>([
		['by its headers, and closes the connection', async () => closing],
		['by its manifest, and closes the connection', afterBytes(100, closing)],
		['when it has read a part of the file', afterBytes(1_000_000, refusal)],
	])(
		'that the service refuses early, %s, fails with its words each time',
		async (_when, handler) => {
			waitLongForRefusals();
			service.on({ method: 'POST', times: RUNS }, handler);

			for (let run = 0; run < RUNS; run += 1) {
				const { error } = await encode(LARGE);

				expect(error?.message).toMatch(/larger than the service accepts/);
				expect(error?.description).toContain(MESSAGE);
				expect(error?.description).not.toMatch(/might have been created/i);
			}
			expect(posts()).toHaveLength(RUNS);
		},
	);

	it.each([30_000, 300_000, 900_000])(
		'of %i bytes that is limited before it is read, and cut, is sent again',
		async (bytes) => {
			const limit = {
				...closing,
				status: 429,
				headers: { ...closing.headers, 'retry-after': '0' },
			};
			const isCut: Handler = async () => limit;
			service.on({ method: 'POST', times: 2 }, isCut);

			const { error } = await encode(Buffer.alloc(bytes, 'x'), { maxRetries: 3 });

			expect(error).toBeUndefined();
			expect(await service.getContainers()).toHaveLength(1);
			expect(posts()).toHaveLength(3);
		},
	);

	it.each([30_000, 300_000, 900_000])(
		'of %i bytes whose refusal is cut fails with its words at the second try at the latest',
		async (bytes) => {
			waitLongForRefusals();
			service.on({ method: 'POST', times: 2 }, async () => closing);

			const { error } = await encode(Buffer.alloc(bytes, 'x'), { maxRetries: 1 });

			expect(error?.message).toMatch(/larger than the service accepts/);
			expect(error?.description).not.toMatch(/might have been created/i);
		},
	);

	it('without a response has an unknown outcome, and is not sent again', async () => {
		service.on({ method: 'POST' }, async ({ read }) => {
			await read();
			return 'cut';
		});

		const { error } = await encode(LARGE, { maxRetries: 2 });

		expect(error?.message).toMatch(/closed the connection during the upload/);
		expect(error?.description).toMatch(/might be larger than the service accepts/);
		expect(error?.description).toMatch(/container might have been created: look for "Invoice"/);
		expect(posts()).toHaveLength(1);
	});

	/** What a server does with a connection before it is secure. */
	it.each<[string, (socket: net.Socket) => void]>([
		['closed at once', (socket) => socket.destroy()],
		['reset during the handshake', (socket) => socket.once('data', () => socket.resetAndDestroy())],
		['never secure', () => undefined],
	])('on a connection that is %s is sent again', async (_how, drop) => {
		let connections = 0;
		const server = net.createServer((socket) => {
			connections += 1;
			socket.on('error', () => undefined);
			drop(socket);
		});
		await once(server.listen(0, '127.0.0.1'), 'listening');
		const { port } = server.address() as net.AddressInfo;
		const credentials = { ...service.credentials, baseUrl: `https://127.0.0.1:${port}/api/v1` };

		const options = { maxRetries: 1, responseTimeout: 1, userId: 'user-1' };
		const { error } = await encode(Buffer.from('small'), options, { credentials });
		server.close();

		expect(connections).toBe(2);
		expect(error?.description).toMatch(/Tried 2 times\./);
		expect(`${error?.message} ${error?.description}`).not.toMatch(/might have|larger/);
	});
});

describe('a proxy', () => {
	let proxy: Server | undefined;
	/** Where the proxy was asked to connect to, and the authorization. */
	let targets: string[] = [];

	type OnConnect = (socket: net.Socket, target: string) => void;

	const startProxy = async (onConnect: OnConnect): Promise<string> => {
		proxy = createServer().on('connect', ({ url = '', headers }, socket: net.Socket) => {
			targets.push(url, headers['proxy-authorization'] ?? '');
			socket.on('error', () => {});
			onConnect(socket, url);
		});
		await once(proxy.listen(0, '127.0.0.1'), 'listening');
		return `127.0.0.1:${(proxy.address() as net.AddressInfo).port}`;
	};
	const refuseWith =
		(status: number): OnConnect =>
		(socket) =>
			socket.end(
				`HTTP/1.1 ${status} No\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html><title>Corporate Proxy</title></html>`,
			);
	const tunnel: OnConnect = (socket, target) => {
		const upstream = net.connect(Number(target.split(':').at(-1)), '127.0.0.1', () => {
			socket.write('HTTP/1.1 200 Connected\r\n\r\n');
			upstream.pipe(socket).pipe(upstream);
		});
		upstream.on('error', () => {});
	};

	afterEach(() => {
		jest.restoreAllMocks();
		proxy?.close();
		proxy = undefined;
		targets = [];
		delete process.env.HTTPS_PROXY;
	});

	it.each<[string, 'node' | 'environment', OnConnect, RegExp]>([
		['wants a password', 'environment', refuseWith(407), /The proxy.*password.*"Corporate Proxy"/],
		['refuses the request', 'node', refuseWith(403), /no permission.*firewall.*"Corporate Proxy"/],
	])('that %s is named, set in the %s', async (_what, place, onConnect, message) => {
		const url = `http://${await startProxy(onConnect)}`;
		if (place === 'environment') process.env.HTTPS_PROXY = url;

		const { error } = await run({}, place === 'node' ? { requestOptions: { proxy: url } } : {});

		expect(`${error?.message} ${error?.description}`).toMatch(message);
	});

	it('whose name is not known is named', async () => {
		// As a server of names answers, which can be away.
		const lookUp = (hostname: string, ...rest: unknown[]) => {
			const unknown = new Error(`getaddrinfo ENOTFOUND ${hostname}`);
			const details = { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname };
			const callback = rest.at(-1) as (error: Error) => void;
			callback(Object.assign(unknown, details));
		};
		jest.spyOn(dns, 'lookup').mockImplementation(lookUp as never);

		const { error } = await run({}, { requestOptions: { proxy: 'http://proxy.invalid:3128' } });

		expect(error?.message).toMatch(/Could not connect to .* \(ENOTFOUND at proxy\.invalid\)/);
	});

	it("of the node's Request Options is that of a picker, with its password", async () => {
		const host = await startProxy(tunnel);
		await service.addContainer();

		const { results } = await search({ proxy: `http://anna:p%40ss@${host}` });

		expect(results).toHaveLength(1);
		const credentials = Buffer.from('anna:p@ss').toString('base64');
		expect(targets).toEqual([new URL(service.baseUrl).host, `Basic ${credentials}`]);
	});
});

it('a picker ends after the timeout of its Request Options', async () => {
	service.on({ times: Infinity }, never);

	await expect(search({ timeout: 300 })).rejects.toThrow(/did not respond in time/);
});

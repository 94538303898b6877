import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { runListSearch, runNode, runPoll } from '../support/engine.cts';
import { httpsService } from './support/httpsService.cts';
import { containerId, sequential, userId } from './support/operations.cts';

const MB = 1_000_000;
const GET = { resource: 'container', operation: 'get', containerId: containerId('c-1') };

const service = httpsService();

const run = async (parameters: object, options: object = {}, more: object = {}) =>
	await runNode({
		parameters: { ...parameters, options: { userId, ...sequential, ...options } },
		credentials: { baseUrl: service.baseUrl },
		...more,
	});

const send = (response: ServerResponse, body: string | Buffer, headers: object = {}) => {
	response.writeHead(200, { 'content-type': 'application/json', ...headers });
	response.end(body);
};

/** Sends one byte after the other, and never ends. */
const drip = (response: ServerResponse) => {
	response.writeHead(200, { 'content-type': 'application/json' });
	const timer = setInterval(() => response.write(' '), 50);
	response.on('close', () => clearInterval(timer));
};

describe('a response', () => {
	it('is decompressed', async () => {
		service.respond = (_request, response) =>
			send(response, brotliCompressSync('{"uuid":"c-1","name":"Zoë"}'), {
				'content-encoding': 'br',
			});

		const { items } = await run(GET);

		expect(items[0].json).toEqual({ containerId: 'c-1', uuid: 'c-1', name: 'Zoë' });
	});

	it('that unpacks to 1 GB needs little memory', async () => {
		const part = gzipSync(Buffer.alloc(250 * MB, ' '));
		const body = Buffer.concat([part, part, part, part]);
		service.respond = (_request, response) => send(response, body, { 'content-encoding': 'gzip' });
		let peak = 0;
		const start = process.memoryUsage.rss();
		const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);

		const { error } = await run(GET);

		clearInterval(timer);
		expect(error?.message).toMatch(/more than 8 MB/);
		expect(peak - start).toBeLessThan(100 * MB);
	}, 60_000);
});

describe('a response that never ends', () => {
	it('fails after the Response Timeout, each try', async () => {
		service.respond = (_request, response) => drip(response);

		const { error } = await run(GET, { responseTimeout: 1, maxRetries: 1 });

		expect(error?.message).toMatch(/did not respond in time \(within 1 s\) /);
		expect(error?.description).toMatch(/Options > Response Timeout.*Tried 2 times/);
		expect(service.requests).toHaveLength(2);
	});

	it('fails the poll, and the next one polls again', async () => {
		const poll = async (options: object = {}) =>
			await runPoll({
				parameters: { event: 'containerCreated', options: { userId, ...sequential, ...options } },
				credentials: { baseUrl: service.baseUrl },
			});
		service.respond = (_request, response) => drip(response);

		const { error } = await poll({ responseTimeout: 1 });
		expect(error?.message).toMatch(/did not respond in time \(within 1 s\) /);

		service.respond = (_request, response) => send(response, '[]');
		expect((await poll()).error).toBeUndefined();
	});

	it('ends with the execution', async () => {
		service.respond = (_request, response) => drip(response);

		const { status } = await run(GET, {}, { cancelAfterMs: 200 });

		expect(status).toBe('canceled');
	});
});

let proxy: Server | undefined;
/** Where the proxy was asked to connect to. */
let targets: string[] = [];

type OnConnect = (socket: Socket, target: string) => void;

const startProxy = async (onConnect: OnConnect): Promise<string> => {
	proxy = createServer().on('connect', ({ url = '' }, socket: Socket) => {
		targets.push(url);
		socket.on('error', () => {});
		onConnect(socket, url);
	});
	await new Promise<void>((resolve) => proxy?.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
};

const refuseWith =
	(status: number): OnConnect =>
	(socket) =>
		socket.end(
			`HTTP/1.1 ${status} No\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html><title>Corporate Proxy</title></html>`,
		);

const tunnel: OnConnect = (socket, target) => {
	const upstream = connect(Number(target.split(':').at(-1)), '127.0.0.1', () => {
		socket.write('HTTP/1.1 200 Connected\r\n\r\n');
		upstream.pipe(socket).pipe(upstream);
	});
	upstream.on('error', () => {});
};

const stopProxy = async () => {
	await new Promise((resolve) => proxy?.close(resolve));
};

const getThrough = async (requestOptions: object, credentials = {}) =>
	await run({ ...GET, requestOptions }, {}, { credentials });

afterEach(() => {
	proxy?.close();
	proxy = undefined;
	targets = [];
	delete process.env.HTTPS_PROXY;
});

const NO_CONNECTION = /Could not connect to the proxy/;
const CHECK = /Request Options > Proxy.*HTTPS_PROXY/;

describe('a proxy', () => {
	it.each<[string, 'node' | 'environment', OnConnect | undefined, RegExp, RegExp]>([
		['does not run', 'node', undefined, NO_CONNECTION, CHECK],
		['does not run', 'environment', undefined, NO_CONNECTION, CHECK],
		['closes the connection', 'node', (socket) => socket.destroy(), NO_CONNECTION, CHECK],
		[
			'wants a password',
			'environment',
			refuseWith(407),
			/The proxy between n8n and the service rejected the request/,
			/user name and password.*HTML page "Corporate Proxy"/,
		],
		[
			'refuses the request',
			'node',
			refuseWith(403),
			/no permission to get the container/,
			/firewall.*HTML page "Corporate Proxy"/,
		],
	])('that %s is named, set in the %s', async (_what, place, onConnect, message, description) => {
		const url = await startProxy(onConnect ?? tunnel);
		if (onConnect === undefined) await stopProxy();
		if (place === 'environment') process.env.HTTPS_PROXY = url;

		const { error } = await getThrough(place === 'node' ? { proxy: url } : {});

		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(description);
	});

	it('whose name is not known is named', async () => {
		const { error } = await getThrough({ proxy: 'http://proxy.invalid:3128' });

		expect(error?.message).toMatch(/Could not connect to the proxy proxy\.invalid/);
	});
});

describe('a picker', () => {
	const search = async (requestOptions: object) =>
		await runListSearch({
			method: 'searchContainers',
			parameters: { options: { userId, ...sequential }, requestOptions } as never,
			credentials: { baseUrl: service.baseUrl },
		});

	beforeEach(() => {
		service.respond = (_request, response) => response.end('[{"uuid":"c-1"}]');
	});

	it("connects through the proxy of the node's Request Options", async () => {
		const { results } = await search({ proxy: await startProxy(tunnel) });

		expect(results.map(({ value }) => value)).toEqual(['c-1']);
		expect(targets).toEqual([new URL(service.baseUrl).host]);
	});

	it('sends the user name and password of the proxy', async () => {
		const url = new URL(await startProxy(refuseWith(407)));
		let authorization: string | undefined;
		proxy?.on('connect', ({ headers }) => (authorization = headers['proxy-authorization']));

		await expect(search({ proxy: `http://anna:p%40ss@${url.host}` })).rejects.toThrow(/The proxy/);

		expect(authorization).toBe(`Basic ${Buffer.from('anna:p@ss').toString('base64')}`);
	});

	it('names a proxy that is no URL, and leaves out an expression', async () => {
		await expect(search({ proxy: 'proxy' })).rejects.toThrow(
			'"Proxy" is not a URL with http:// or https://',
		);
		expect((await search({ proxy: '={{ $json.proxy }}' })).results).toHaveLength(1);
	});

	it('ends after the timeout', async () => {
		service.respond = () => {};

		await expect(search({ timeout: 300 })).rejects.toThrow(/did not respond in time/);
		await expect(search({ timeout: 'abc' })).rejects.toThrow('"Timeout" must be a whole number');
	});
});

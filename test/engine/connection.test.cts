import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';
import { runListSearch, runNode, runPoll } from '../support/engine.cts';
import { never, type Handler } from '../support/proxy.cts';
import { useService } from '../support/service.cts';
import { byId, userId } from './support/operations.cts';

const service = useService();

const run = async (options: object = {}, more: INodeParameters = {}, settings: object = {}) =>
	await runNode({
		parameters: {
			...{ resource: 'container', operation: 'get', ...byId('c-1'), ...more },
			options: { userId, maxRetries: 0, ...options },
		},
		credentials: service.credentials,
		...settings,
	});

const respond = (body: string | Buffer, headers = {}) =>
	service.on({}, async () => ({ status: 200, body, headers }));
/** Sends one byte after the other, and never ends. */
const drip: Handler = async () => {
	const bytes = async function* () {
		for (;;) {
			yield ' ';
			await wait(50);
		}
	};
	return { status: 200, body: Readable.from(bytes()) };
};

describe('a response', () => {
	it('is decompressed', async () => {
		const body = brotliCompressSync('{"uuid":"c-1","name":"Zoë"}');
		respond(body, { 'content-encoding': 'br' });

		expect((await run()).items[0].json).toEqual({ containerId: 'c-1', uuid: 'c-1', name: 'Zoë' });
	});

	it('that unpacks to more than the node reads is an error', async () => {
		const body = gzipSync(Buffer.alloc(100_000_000, ' '));
		respond(body, { 'content-encoding': 'gzip' });

		expect((await run()).error?.message).toMatch(/more than 8 MB/);
	});
});

describe('a response that never ends', () => {
	beforeEach(() => void service.on({ times: Infinity }, drip));

	it('fails after the Response Timeout, each try', async () => {
		const { error } = await run({ responseTimeout: 1, maxRetries: 1 });

		expect(error?.message).toMatch(/did not respond in time \(within 1 s\) /);
		expect(error?.description).toMatch(/Options > Response Timeout.*Tried 2 times/);
		expect(service.requests).toHaveLength(2);
	});

	it('fails the poll, and the next one polls again', async () => {
		const options = { userId: service.userId, maxRetries: 0, responseTimeout: 1 };
		const parameters = { event: 'containerCreated', options };
		const poll = async () => await runPoll({ parameters, credentials: service.credentials });

		expect((await poll()).error?.message).toMatch(/did not respond in time \(within 1 s\) /);
		await service.clear();
		expect((await poll()).error).toBeUndefined();
	});

	it('ends with the execution', async () => {
		expect((await run({}, {}, { cancelAfterMs: 200 })).status).toBe('canceled');
	});
});

let proxy: Server | undefined;
/** Where the proxy was asked to connect to. */
let targets: string[] = [];

type OnConnect = (socket: Socket, target: string) => void;

const startProxy = async (onConnect: OnConnect): Promise<string> => {
	proxy = createServer().on('connect', ({ url = '', headers }, socket: Socket) => {
		targets.push(url, headers['proxy-authorization'] ?? '');
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

afterEach(() => {
	proxy?.close();
	proxy = undefined;
	targets = [];
	delete process.env.HTTPS_PROXY;
});

describe('a proxy', () => {
	it.each<[string, 'node' | 'environment', OnConnect, RegExp]>([
		[
			'closes the connection',
			'node',
			(socket) => socket.destroy(),
			/Could not connect.*CONNECT.*HTTPS_P/,
		],
		['wants a password', 'environment', refuseWith(407), /The proxy.*password.*"Corporate Proxy"/],
		['refuses the request', 'node', refuseWith(403), /no permission.*firewall.*"Corporate Proxy"/],
	])('that %s is named, set in the %s', async (_what, place, onConnect, message) => {
		const url = await startProxy(onConnect);
		if (place === 'environment') process.env.HTTPS_PROXY = url;

		const { error } = await run({}, place === 'node' ? { requestOptions: { proxy: url } } : {});

		expect(`${error?.message} ${error?.description}`).toMatch(message);
	});

	it('whose name is not known is named', async () => {
		const requestOptions = { proxy: 'http://proxy.invalid:3128' };
		const { error } = await run({}, { requestOptions });

		expect(error?.message).toMatch(/Could not connect to .* \(ENOTFOUND at proxy\.invalid\)/);
	});
});

describe('a picker', () => {
	const search = async (requestOptions: object) =>
		await runListSearch({
			method: 'searchContainers',
			parameters: { options: { userId: service.userId }, requestOptions } as never,
			credentials: service.credentials,
		});

	it("connects through the proxy of the node's Request Options, with its password", async () => {
		const url = new URL(await startProxy(tunnel));
		await service.addContainer();

		const { results } = await search({ proxy: `http://anna:p%40ss@${url.host}` });

		expect(results).toHaveLength(1);
		const credentials = Buffer.from('anna:p@ss').toString('base64');
		expect(targets).toEqual([new URL(service.baseUrl).host, `Basic ${credentials}`]);
	});

	it('ends after the timeout', async () => {
		service.on({ times: Infinity }, never);

		await expect(search({ timeout: 300 })).rejects.toThrow(/did not respond in time/);
	});
});

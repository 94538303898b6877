import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { runListSearch, runNode } from '../support/engine.cts';
import { httpsService } from './support/httpsService.cts';
import { containerId, sequential, userId } from './support/operations.cts';

const service = httpsService();

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

const get = async (requestOptions: object, credentials = {}) =>
	await runNode({
		parameters: {
			resource: 'container',
			operation: 'get',
			containerId: containerId('c-1'),
			options: { maxRetries: 0 },
			requestOptions,
		} as never,
		credentials,
	});

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
			/The proxy or the service refused to get the container \(status 403\)/,
			/not from the API.*Proxy.*HTML page "Corporate Proxy"/,
		],
	])('that %s is named, set in the %s', async (_what, place, onConnect, message, description) => {
		const url = await startProxy(onConnect ?? tunnel);
		if (onConnect === undefined) await stopProxy();
		if (place === 'environment') process.env.HTTPS_PROXY = url;

		const { error } = await get(place === 'node' ? { proxy: url } : {});

		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(description);
	});

	it('whose name is not known is named', async () => {
		const { error } = await get({ proxy: 'http://proxy.invalid:3128' });

		expect(error?.message).toMatch(/Could not connect to the proxy proxy\.invalid/);
	});

	it('is mentioned where the service does not respond', async () => {
		service.respond = (request) => request.socket.destroy();

		const { error } = await get({ proxy: await startProxy(tunnel) }, { baseUrl: service.baseUrl });

		expect(error?.message).toMatch(/The service closed the connection/);
		expect(error?.description).toMatch(/goes through the proxy.*check it too/);
		expect(service.requests).toHaveLength(1);
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

it.each(['abc', -1, '={{ "soon" }}'])('a Timeout of %j is named', async (timeout) => {
	const { error } = await get({ timeout }, { baseUrl: service.baseUrl });

	expect(error?.message).toMatch(
		/"Timeout" must be a whole number, from 0 to 2147483647 \[item 0\]/,
	);
	expect(service.requests).toEqual([]);
});

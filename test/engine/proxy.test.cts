import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runNode } from '../support/engine.cts';
import { containerId } from './support/parameters.cts';

let proxy: Server | undefined;

const startProxy = async (status: number): Promise<string> => {
	proxy = createServer().on('connect', (_request, socket) => {
		socket.end(
			`HTTP/1.1 ${status} No\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html><title>Corporate Proxy</title></html>`,
		);
	});
	await new Promise<void>((resolve) => proxy?.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
};

const get = async (url: string) =>
	await runNode({
		parameters: {
			resource: 'container',
			operation: 'get',
			containerId: containerId('c-1'),
			options: { maxRetries: 0 },
			requestOptions: { proxy: url },
		},
	});

afterEach(() => {
	proxy?.close();
	proxy = undefined;
	delete process.env.HTTPS_PROXY;
});

describe('a proxy', () => {
	it('that does not run is named, not the service', async () => {
		const url = await startProxy(200);
		await new Promise((resolve) => proxy?.close(resolve));

		const { error } = await get(url);

		expect(error?.message).toMatch(/Could not connect to the proxy on port \d+ \[item 0\]/);
		expect(error?.description).toMatch(/Request Options > Proxy.*HTTPS_PROXY/);
	});

	it('that wants a password is named', async () => {
		const { error } = await get(await startProxy(407));

		expect(error?.message).toMatch(/The proxy between n8n and the service rejected the request/);
		expect(error?.description).toMatch(/user name and password.*HTML page "Corporate Proxy"/);
	});

	it('that forbids the request is quoted by the title of its page', async () => {
		const { error } = await get(await startProxy(403));

		expect(error?.description).toMatch(/HTML page "Corporate Proxy"/);
	});

	it('of the environment that wants a password is named', async () => {
		process.env.HTTPS_PROXY = await startProxy(407);

		const { error } = await get('');

		expect(error?.message).toMatch(/The proxy between n8n and the service rejected the request/);
	});
});

import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { runNode } from '../../../support/engine.cts';
import { base } from '../../support/encode.cts';
import { httpsService } from '../../support/httpsService.cts';

/** What a server does with a connection before it is secure. */
const drops: Array<[string, (socket: Socket) => void]> = [
	['closed at once', (socket) => socket.destroy()],
	['closed during the handshake', (socket) => socket.once('data', () => socket.end())],
	['reset during the handshake', (socket) => socket.once('data', () => socket.resetAndDestroy())],
	['never secure', () => undefined],
];

describe('an upload whose connection is', () => {
	it.each(drops)('%s is sent again, and the error speaks of the connection', async (_how, drop) => {
		let connections = 0;
		const server = createServer((socket) => {
			connections += 1;
			socket.on('error', () => undefined);
			drop(socket);
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;

		const { error } = await runNode({
			parameters: {
				...base,
				name: 'Invoice',
				options: { userId: 'user-1', allowNoRecipients: true, maxRetries: 1, responseTimeout: 1 },
			},
			credentials: { baseUrl: `https://127.0.0.1:${port}/api/v1` },
		});
		server.close();

		expect(connections).toBe(2);
		expect(error?.message).toMatch(/Could not (make a secure connection|connect) to https:/);
		expect(error?.description).toMatch(/Tried 2 times\./);
		expect(`${error?.message} ${error?.description}`).not.toMatch(/might have|larger/);
	});
});

describe('an upload whose connection', () => {
	const service = httpsService();

	it('stops to be secure after the request is not sent again', async () => {
		service.respond = (request) => {
			const { _parent: plain } = request.socket as unknown as { _parent: Socket };
			request.resume().on('end', () => plain.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
		};

		const { error } = await runNode({
			parameters: {
				...base,
				name: 'Invoice',
				options: { ...(base.options as object), maxRetries: 1 },
			},
			credentials: { baseUrl: service.baseUrl },
			retryOnFail: true,
			waitBetweenTries: 1,
		});

		expect(service.requests).toHaveLength(1);
		expect(error?.description).toMatch('The container might have been created');
	});
});

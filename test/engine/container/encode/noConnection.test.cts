import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { runNode } from '../../../support/engine.cts';
import { base } from '../../support/encode.cts';

/** What a server does with a connection before it is secure. */
const drops: Array<[string, (socket: Socket) => void]> = [
	['closed at once', (socket) => socket.destroy()],
	['closed during the handshake', (socket) => socket.once('data', () => socket.end())],
	['reset during the handshake', (socket) => socket.once('data', () => socket.resetAndDestroy())],
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
				options: { userId: 'user-1', allowNoRecipients: true, maxRetries: 1 },
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

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Like a server that hangs, answers always the same, or is not there. */
type Mode = 'pass' | 'hang' | 'refuse' | { answer: string };

/** Stands in front of a server on this machine, and passes everything until told otherwise. */
export async function startTcpProxy(target: number) {
	let mode: Mode = 'pass';
	const sockets = new Set<Socket>();
	const server = createServer((client) => {
		sockets.add(client.on('error', () => undefined));
		client.once('close', () => sockets.delete(client));
		if (mode === 'refuse') client.destroy();
		else if (mode === 'pass') {
			const upstream = connect(target, '127.0.0.1').on('error', () => client.destroy());
			client.pipe(upstream).pipe(client);
			client.once('close', () => upstream.destroy());
		} else if (mode === 'hang') client.resume();
		else client.once('data', () => client.end((mode as { answer: string }).answer)).resume();
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		/** Connections that exist break off. */
		become: (next: Mode) => {
			mode = next;
			for (const socket of sockets) socket.destroy();
		},
		stop: () => {
			server.close();
			for (const socket of sockets) socket.destroy();
		},
	};
}

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import type { ServerCertificate } from '../../../sandbox/certificate.cts';

export interface Front {
	port: number;
	stop(): void;
}

/** Accepts TLS on a free port of the loopback interface, and passes the bytes on to `port` unread. */
export async function startTlsFront(
	port: number,
	{ key, cert }: ServerCertificate,
): Promise<Front> {
	return await start((pass) =>
		createTlsServer({ key, cert }, (outside) => pass(outside, connect(port, '127.0.0.1'))),
	);
}

/** The reverse, for a proxy that can't speak TLS to the service. */
export async function startPlainFront(port: number, { ca }: ServerCertificate): Promise<Front> {
	return await start((pass) =>
		createServer((outside) => pass(outside, connectTls({ port, host: 'localhost', ca }))),
	);
}

async function start(
	create: (pass: (outside: Socket, inside: Socket) => void) => Server,
): Promise<Front> {
	const sockets = new Set<Socket>();
	const server = create((outside, inside) => {
		for (const [from, to] of [
			[outside, inside],
			[inside, outside],
		]) {
			sockets.add(from);
			from.on('error', () => to.destroy());
			from.on('close', () => sockets.delete(from));
			from.pipe(to);
		}
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		stop() {
			server.close();
			for (const socket of sockets) socket.destroy();
		},
	};
}

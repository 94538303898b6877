import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { once } from 'node:events';

/** A server that only this machine can reach. */
export interface Listening {
	port: number;
	close(): Promise<void>;
}

const ATTEMPTS = 10;
const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

/**
 * Listens on 127.0.0.1 and, where there is IPv6, on the same port of ::1: `localhost` can mean either.
 *
 * @param wanted the port; 0 for a free one
 * @throws Error when the port is in use
 */
export async function listen(server: Server, wanted: number): Promise<Listening> {
	for (let attempt = 1; ; attempt++) {
		server.listen(wanted, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		try {
			const second = await listenOnIpv6(server, port);
			return { port, close: () => closeAll([server, ...(second === undefined ? [] : [second])]) };
		} catch (error) {
			await closeAll([server]);
			if (wanted !== 0 || attempt === ATTEMPTS) throw error;
		}
	}
}

/** @returns the second server, or nothing on a machine without IPv6 */
async function listenOnIpv6(server: Server, port: number): Promise<net.Server | undefined> {
	const second = net.createServer({ noDelay: true }, (socket) => {
		server.emit('connection', socket);
	});
	second.listen(port, '::1');
	try {
		await once(second, 'listening');
		return second;
	} catch (error) {
		if (NO_IPV6.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
		throw error;
	}
}

async function closeAll(servers: net.Server[]): Promise<void> {
	await Promise.all(
		servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
	);
}

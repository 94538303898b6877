import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { SettingError } from './errors.mts';

/** Where only this machine gets in. */
export const LOOPBACK = ['127.0.0.1', '::1'];

interface Addresses {
	port: number;
	hosts: string[];
	/** Whether one of several may be missing on this machine. */
	isOptional: boolean;
}

/** Listens on several addresses. @returns the servers beside that of the app, to be closed with it */
export async function listen(app: FastifyInstance, { port, hosts, isOptional }: Addresses) {
	const [first, ...others] = hosts;
	await app.listen({ port, host: first }).catch(async (error: NodeJS.ErrnoException) => {
		if (first !== '::' || !isMissingFamily(error)) throw cannotListen(first, port, error);
		await app.listen({ port, host: '0.0.0.0' });
	});
	const servers: Server[] = [];
	for (const host of others) {
		// What it accepts, the app's server handles: one certificate, and one place to close connections.
		const accept = (socket: Socket) => app.server.emit('connection', socket);
		const server = createServer({ noDelay: true }, accept);
		try {
			await once(server.listen({ port, host, ipv6Only: true }), 'listening');
			servers.push(server);
		} catch (error) {
			if (!isOptional || !isMissingFamily(error as Error)) {
				throw cannotListen(host, port, error as Error);
			}
		}
	}
	return servers;
}

/** On a machine without IPv6. */
const isMissingFamily = ({ code }: NodeJS.ErrnoException) =>
	code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';

function cannotListen(host: string, port: number, { code, message }: NodeJS.ErrnoException) {
	return new SettingError(`PORT ${port} on HOST ${host} can't be used (${code ?? message}).`);
}

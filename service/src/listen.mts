import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { SettingError } from './errors.mts';

/** Where only this machine gets in. */
export const LOOPBACK = ['127.0.0.1', '::1'];

interface Addresses {
	port: number;
	/** Loopback where nothing is set. There, one of several may be missing on this machine. */
	hosts?: string[];
	/** The name of each setting begins with it. */
	prefix?: string;
}

/** Listens on several addresses. @returns the servers beside that of the app, to be closed with it */
export async function listen(app: FastifyInstance, { port, hosts, prefix = '' }: Addresses) {
	const [first, ...others] = hosts ?? LOOPBACK;
	const toError = (host: string, error: Error) => cannotListen(error, { port, host, prefix });
	await app.listen({ port, host: first }).catch(async (error: NodeJS.ErrnoException) => {
		if (first !== '::' || !isMissingFamily(error)) throw toError(first, error);
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
			const isOptional = hosts === undefined && isMissingFamily(error as Error);
			if (!isOptional) throw toError(host, error as Error);
		}
	}
	return servers;
}

/** On a machine without IPv6. */
const isMissingFamily = ({ code }: NodeJS.ErrnoException) =>
	code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';

type Place = { port: number; host: string; prefix: string };

function cannotListen({ code, message }: NodeJS.ErrnoException, { port, host, prefix }: Place) {
	const reason = code ?? message;
	return new SettingError(
		`${prefix}PORT ${port} on ${prefix}HOST ${host} can't be used (${reason}).`,
	);
}

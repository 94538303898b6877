import { createServer, type AddressInfo } from 'node:net';

/** Ports of the loopback interface that nothing listens on, each another. */
export async function freePorts(count: number): Promise<number[]> {
	const servers = Array.from({ length: count }, () => createServer());
	await Promise.all(
		servers.map(async (server) => {
			await new Promise<void>((resolve, reject) => {
				server.once('error', reject).listen(0, '127.0.0.1', resolve);
			});
		}),
	);
	const ports = servers.map((server) => (server.address() as AddressInfo).port);
	await Promise.all(
		servers.map(async (server) => await new Promise((resolve) => server.close(resolve))),
	);
	return ports;
}

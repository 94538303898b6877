import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { createCertificate, type ServerCertificate } from '../../../sandbox/certificate.cts';
import { getFreePort, startProcess, waitUntilReady } from '../../../tools/processes.cts';
import { projectRoot } from '../../../tools/project.cts';
import { trustCertificateAuthority } from '../../../tools/engine/trust.cts';
import type { Stack } from './stacks.cts';

export interface RunningStack {
	baseUrl: string;
	/** Method and path of each request that the app received, in the order of arrival. */
	requests(): Promise<string[]>;
	stop(): Promise<void>;
}

/** Starts the app of a stack, behind TLS that the node trusts. */
export async function startStack(stack: Stack): Promise<RunningStack> {
	const folder = await mkdtemp(join(tmpdir(), 'interop-'));
	const port = await getFreePort();
	const log = join(folder, 'requests');
	const options = {
		cwd: projectRoot,
		env: { ...process.env, PORT: String(port), REQUESTS: log },
		stdout: join(folder, 'log'),
	};
	const running = startProcess({ ...options, ...stack.start(String(port)) });
	await waitUntilReady(running, async () => await isListening(port));
	const certificate = await createCertificate();
	const untrust = trustCertificateAuthority(certificate.ca);
	const front = await startTlsFront(port, certificate);
	return {
		baseUrl: `https://localhost:${front.port}/api/v1`,
		requests: async () =>
			existsSync(log) ? (await readFile(log, 'utf8')).split('\n').filter((line) => line) : [],
		async stop() {
			untrust();
			front.stop();
			await running.stop();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

/** Whether something on the loopback interface accepts connections at this port. */
export async function isListening(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.once('error', () => resolve(false));
		socket.once('connect', () => {
			socket.destroy();
			resolve(true);
		});
	});
}

/** Accepts TLS on a free port of the loopback interface, and passes the bytes on to `port` unread. */
async function startTlsFront(port: number, { key, cert }: ServerCertificate) {
	const sockets = new Set<Socket>();
	const server = createServer({ key, cert }, (outside) => {
		const inside = connect(port, '127.0.0.1');
		outside.pipe(inside).pipe(outside);
		for (const socket of [outside, inside]) {
			sockets.add(socket);
			socket.on('close', () => sockets.delete(socket));
			socket.on('error', () => [outside, inside].forEach((one) => one.destroy()));
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

import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import which from 'which';
import { createCertificate, type ServerCertificate } from '../../../sandbox/certificate.cts';
import { getFreePort, startProcess, waitUntilReady } from '../../../tools/processes.cts';
import { projectRoot } from '../../../tools/project.cts';
import { trustCertificateAuthority } from '../../../tools/engine/trust.cts';

/** A web stack that nobody here wrote, with an app on it. */
export interface Stack {
	name: string;
	/** Programs and files without which it can't run. */
	needs: string[];
	start: (port: string) => { command: string; args: string[] };
	/** The name of the file parts, where the stack keeps only the last of several with one name. */
	filePartName?: string;
	/** What its parser makes of a file's name; by default, `asSent`. */
	toParsedName?: (name: string) => string;
}

const apps = join(projectRoot, 'test', 'interop', 'apps');
const app = (file: string) => join(apps, file);

/** Debian's own Python, which has Debian's packages. */
const python = '/usr/bin/python3';
const pythonPackages = '/usr/lib/python3/dist-packages';

/** As browsers do, the client sends a quotation mark as %22, and most parsers leave it at that. */
export const asSent = (name: string) => name.replaceAll('"', '%22');

export const stacks: Stack[] = [
	{
		name: 'PHP',
		needs: ['php'],
		start: (port) => ({
			command: 'php',
			args: [
				...['upload_max_filesize', 'post_max_size'].flatMap((limit) => ['-d', `${limit}=64M`]),
				...['-S', `127.0.0.1:${port}`, app('app.php')],
			],
		}),
		filePartName: 'file[]',
	},
	{
		name: 'Django',
		needs: [python, join(pythonPackages, 'django')],
		start: () => ({ command: python, args: [app('djangoApp.py')] }),
	},
	{
		name: 'multer',
		needs: [],
		start: () => ({
			command: process.execPath,
			args: ['--require', 'tsx/cjs', app('multerApp.cts')],
		}),
		// Unless its users tell it that names are UTF-8.
		toParsedName: (name) => Buffer.from(name, 'utf8').toString('latin1'),
	},
];

/** The programs and files that this machine lacks for a stack or proxy. */
export function findMissing({ needs }: Pick<Stack, 'needs'>): string[] {
	return needs.filter((name) =>
		name.startsWith('/') ? !existsSync(name) : which.sync(name, { nothrow: true }) === null,
	);
}

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

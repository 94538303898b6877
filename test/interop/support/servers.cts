import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import which from 'which';
import { createCertificate } from '../../../tools/certificate.cts';
import { startSandbox } from '../../../sandbox/index.cts';
import { trustCertificateAuthority } from '../../../tools/engine/trust.cts';
import { getFreePort, startProcess, waitUntilReady } from '../../../tools/processes.cts';
import { projectRoot } from '../../../tools/project.cts';

/** The programs and files of a list that this machine lacks. */
export const findMissing = (needs: string[]): string[] =>
	needs.filter((name) =>
		name.startsWith('/') ? !existsSync(name) : which.sync(name, { nothrow: true }) === null,
	);

/** Starts a program that listens on a port of the loopback interface, with a folder of its own. */
async function startServer(
	prepare: (port: number, folder: string) => Promise<string[]> | string[],
) {
	const folder = await mkdtemp(join(tmpdir(), 'interop-'));
	// As root, nginx works as another user.
	await chmod(folder, 0o777);
	const port = await getFreePort();
	const [command, ...args] = await prepare(port, folder);
	const env = { ...process.env, PORT: String(port) };
	const stdout = join(folder, 'log');
	const running = startProcess({ command, args, cwd: projectRoot, env, stdout });
	await waitUntilReady(running, async () => await isListening(port));
	const stop = async () => {
		await running.stop();
		await rm(folder, { recursive: true, force: true });
	};
	return { port, stop };
}

async function isListening(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.once('error', () => resolve(false));
		socket.once('connect', () => {
			socket.destroy();
			resolve(true);
		});
	});
}

/** Starts a web stack that nobody here wrote, with an app on it, behind TLS that the node trusts. */
export async function startStack(command: (port: number) => string[]) {
	const stack = await startServer(command);
	const requests: string[] = [];
	const { ca, key, cert } = await createCertificate();
	const front = https.createServer({ key, cert }, (request, response) => {
		const { method, url: path, headers } = request;
		requests.push(`${method} ${path}`);
		const inside = http.request({ port: stack.port, host: '127.0.0.1', method, path, headers });
		inside.on('response', (answer) => {
			response.writeHead(answer.statusCode ?? 0, answer.headers);
			answer.pipe(response);
		});
		inside.on('error', () => response.destroy());
		request.pipe(inside);
	});
	front.listen(0, '127.0.0.1');
	await once(front, 'listening');
	const untrust = trustCertificateAuthority(ca);
	return {
		baseUrl: `https://localhost:${(front.address() as AddressInfo).port}/api/v1`,
		/** Method and path of each request, in the order of arrival. */
		requests,
		async stop() {
			untrust();
			front.close();
			front.closeAllConnections();
			await stack.stop();
		},
	};
}

/** In bytes: what nginx refuses. It waits two seconds for the service. */
export const MAX_BODY = 8_000_000;

const configure = (folder: string, port: number, service: number) => `
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
	access_log off;
	${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n\t')}
	server {
		listen 127.0.0.1:${port} ssl;
		ssl_certificate ${folder}/cert.pem;
		ssl_certificate_key ${folder}/key.pem;
		client_max_body_size ${MAX_BODY};
		location / {
			proxy_pass https://127.0.0.1:${service};
			proxy_read_timeout 2s;
			proxy_next_upstream off;
		}
	}
}
`;

/** Starts the sandbox service and nginx in front of it, which the node trusts. */
export async function startBehindNginx() {
	const sandbox = await startSandbox();
	const { ca, key, cert } = await createCertificate();
	const nginx = await startServer(async (port, folder) => {
		const file = join(folder, 'configuration');
		await writeFile(join(folder, 'cert.pem'), cert);
		await writeFile(join(folder, 'key.pem'), key);
		await writeFile(file, configure(folder, port, sandbox.port));
		return ['nginx', '-c', file, '-p', folder];
	});
	const untrust = trustCertificateAuthority(ca);
	return {
		baseUrl: `https://localhost:${nginx.port}/api/v1`,
		sandbox,
		async stop() {
			untrust();
			await nginx.stop();
			await sandbox.stop();
		},
	};
}

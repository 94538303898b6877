import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate } from '../../../sandbox/certificate.cts';
import { startSandbox } from '../../../sandbox/index.cts';
import { getFreePort, startProcess, waitUntilReady } from '../../../tools/processes.cts';
import { trustCertificateAuthority } from '../../../tools/engine/trust.cts';
import { isListening } from './startStack.cts';

/** In bytes: what nginx refuses. It waits two seconds for the service. */
export const MAX_BODY = 8_000_000;

const configure = (folder: string, port: number, service: number) => `
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
	access_log off;
	client_body_temp_path ${folder}/body;
	proxy_temp_path ${folder}/proxy;
	fastcgi_temp_path ${folder}/fastcgi;
	uwsgi_temp_path ${folder}/uwsgi;
	scgi_temp_path ${folder}/scgi;
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
	const folder = await mkdtemp(join(tmpdir(), 'interop-'));
	// As root, nginx works as another user.
	await chmod(folder, 0o777);
	const { ca, key, cert } = await createCertificate();
	await writeFile(join(folder, 'cert.pem'), cert);
	await writeFile(join(folder, 'key.pem'), key);
	const port = await getFreePort();
	const file = join(folder, 'configuration');
	await writeFile(file, configure(folder, port, sandbox.port));
	const running = startProcess({
		command: 'nginx',
		args: ['-c', file, '-p', folder],
		cwd: folder,
		env: process.env,
		stdout: join(folder, 'log'),
	});
	await waitUntilReady(running, async () => await isListening(port));
	const untrust = trustCertificateAuthority(ca);
	return {
		baseUrl: `https://localhost:${port}/api/v1`,
		sandbox,
		async stop() {
			untrust();
			await running.stop();
			await sandbox.stop();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

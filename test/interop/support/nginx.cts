import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import which from 'which';
import { trustCertificateAuthority } from '../../support/certificate.cts';
import { getFreePort, startProcess, waitUntilReady } from '../../../tools/processes.cts';
import { startTestService } from '../../support/service.cts';

export const hasNginx = which.sync('nginx', { nothrow: true }) !== null;

/** In bytes: what nginx refuses. */
export const MAX_BODY = 8_000_000;

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

interface Settings {
	folder: string;
	port: number;
	isBuffering: boolean;
	service: Awaited<ReturnType<typeof startTestService>>;
}

const configure = ({ folder, port, isBuffering, service }: Settings) => `
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
	access_log off;
	${TEMPORARY.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n\t')}
	server {
		listen 127.0.0.1:${port} ssl;
		ssl_certificate ${service.paths.cert};
		ssl_certificate_key ${service.paths.key};
		client_max_body_size ${MAX_BODY};
		location / {
			proxy_pass https://127.0.0.1:${service.port};
			proxy_set_header Host $http_host;
			proxy_http_version 1.1;
			proxy_buffering ${isBuffering ? 'on' : 'off'};
			proxy_request_buffering ${isBuffering ? 'on' : 'off'};
		}
	}
}
`;

/** Starts a service that recipients and clients reach through nginx, and makes this process trust it. */
export async function startBehindNginx(isBuffering: boolean) {
	const port = await getFreePort();
	const origin = `https://localhost:${port}`;
	const service = await startTestService({ PUBLIC_URL: origin });
	const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
	// As root, nginx works as another user.
	await chmod(folder, 0o777);
	const file = join(folder, 'nginx.conf');
	await writeFile(file, configure({ folder, port, isBuffering, service }));
	const nginx = startProcess({
		...{ command: 'nginx', args: ['-c', file, '-p', folder], cwd: folder, env: process.env },
		stdout: join(folder, 'log'),
	});
	const untrust = trustCertificateAuthority(service.ca);
	await waitUntilReady(nginx, async () => await fetch(origin).then(Boolean, isAnswer));
	return {
		service,
		credentials: { ...service.credentials, baseUrl: `${origin}/api/v1` },
		async stop() {
			untrust();
			await nginx.stop();
			await service.stop();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

/** fetch() trusts no authority of a test, but has reached the server then. */
const isAnswer = ({ cause }: Error) => !String(cause).includes('ECONNREFUSED');

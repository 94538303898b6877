import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate, trustCertificateAuthority } from './certificate.cts';
import { getFreePort } from '../../tools/processes.cts';
import { startService } from '../../tools/service.cts';
import { connectService } from '../../tools/serviceClient.cts';
import { startProxy } from './proxy.cts';

export type TestService = Awaited<ReturnType<typeof startTestService>>;

/** No test meets a limit of the service unless it sets one. */
const SETTINGS = { LOG_LEVEL: 'error', REQUESTS_PER_MINUTE: '1000000' };

/**
 * Starts the built service behind a proxy, with data of its own until `stop`. What tests prepare and look up bypasses
 * the proxy.
 * @param settings those of service/README.md
 */
export async function startTestService(settings: Record<string, string> = {}) {
	const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
	const certificate = await createCertificate();
	const paths = { ca: '', cert: '', key: '' };
	for (const name of ['ca', 'cert', 'key'] as const) {
		paths[name] = join(folder, `${name}.pem`);
		await writeFile(paths[name], certificate[name]);
	}
	const port = await getFreePort();
	const proxy = await startProxy(certificate, port);
	const service = await startService(folder, {
		...SETTINGS,
		...{ PORT: String(port), PUBLIC_URL: proxy.origin },
		...{ TLS_CERT: paths.cert, TLS_KEY: paths.key, ...settings },
	});
	const { apiKey, userId, mails, data, restart, setCreatedDate } = service;
	const { ca } = certificate;
	const own = { baseUrl: `https://localhost:${port}/api/v1`, apiKey, userId, ca };
	const { close, deleteAll, ...client } = connectService(own);
	const baseUrl = `${proxy.origin}/api/v1`;
	return {
		...client,
		...{ apiKey, userId, ca, mails, data, restart, setCreatedDate },
		/** Through the proxy, as all that the nodes send. */
		baseUrl,
		origin: proxy.origin,
		credentials: { baseUrl, apiKey },
		/** Of the service itself. */
		port,
		/** The PEM files of the certificate, and of the authority for NODE_EXTRA_CA_CERTS. */
		paths,
		requests: proxy.requests,
		on: proxy.on,
		/** Deletes all containers and contacts, and forgets the requests and handlers of the proxy. */
		clear: async () => {
			proxy.clear();
			await deleteAll();
		},
		stop: async () => {
			await proxy.stop();
			await close();
			await service.stop();
			await rm(folder, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

/** A service for the tests of a file, which this process trusts. It is empty at the start of each test. */
export function useService(settings?: Record<string, string>): TestService {
	const service = {} as TestService;
	let untrust = () => {};
	beforeAll(async () => {
		Object.assign(service, await startTestService(settings));
		untrust = trustCertificateAuthority(service.ca);
	});
	beforeEach(async () => await service.clear());
	afterAll(async () => {
		untrust();
		await service.stop();
	});
	return service;
}

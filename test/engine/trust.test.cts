import { once } from 'node:events';
import tls from 'node:tls';
import { startSandbox, type Sandbox } from '../../sandbox/index.cts';
import { runNode } from '../support/engine.cts';
import { trustCertificateAuthority } from '../support/trust.cts';

describe('trust in a private certificate authority', () => {
	let sandbox: Sandbox;
	let untrust = () => {};

	beforeAll(async () => {
		sandbox = await startSandbox();
	}, 60_000);

	afterEach(() => untrust());

	afterAll(async () => {
		await sandbox.stop();
	});

	const getMe = async (baseUrl: string) =>
		await runNode({
			parameters: { resource: 'user', operation: 'getMe' },
			credentials: { baseUrl, apiKey: sandbox.apiKey },
		});

	it('is not the default', async () => {
		const { error, status } = await getMe(sandbox.url);

		expect(status).toBe('error');
		expect(error?.message).toMatch(/certificate/i);
		expect(sandbox.requests).toEqual([]);
	});

	it('lets the node connect', async () => {
		untrust = trustCertificateAuthority(sandbox.ca);

		const { items, error } = await getMe(sandbox.url);

		expect(error).toBeUndefined();
		expect(items[0]?.json.id).toBe(sandbox.user.id);
	});

	it.each([
		['the host that the certificate is for', 'localhost', undefined],
		['no other host', 'elsewhere.example.com', 'ERR_TLS_CERT_ALTNAME_INVALID'],
	])('accepts %s', async (_whom, servername, code) => {
		untrust = trustCertificateAuthority(sandbox.ca);

		const socket = tls.connect({ host: 'localhost', port: sandbox.port, servername });
		const outcome = await once(socket, 'secureConnect').catch((error: unknown) => error);
		socket.destroy();

		expect((outcome as NodeJS.ErrnoException).code).toBe(code);
	});

	it('ends when it is revoked', async () => {
		trustCertificateAuthority(sandbox.ca)();

		const { error } = await getMe(sandbox.url);

		expect(error?.message).toMatch(/certificate/i);
	});
});

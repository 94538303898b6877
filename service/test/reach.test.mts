import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { request } from 'undici';
import { getFreePort, waitFor } from '../../tools/processes.cts';
import { createContainer } from './support/api.mts';
import { startMailServer } from './support/recipient.cts';
import { describeService, runService } from './support/service.mts';
import { startService, usesServers } from './support/service.mts';

/** An address of this machine that others reach, too. */
const [outside] = Object.values(networkInterfaces())
	.flatMap((addresses) => addresses ?? [])
	.filter(({ family, internal }) => family === 'IPv4' && !internal)
	.map(({ address }) => address);

const answers = async (host: string, port: number) =>
	await new Promise<boolean>((resolve) => {
		const socket = connect({ host, port });
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.unref().setTimeout(5000, () => resolve(false));
	});

describeService('who can reach the service', () => {
	const start = async (env: Record<string, string> = {}) => {
		const service = await startService({ env });
		const port = Number(env.PORT ?? new URL(service.origin).port);
		return { service, port, reachable: service.printed.Reachable };
	};

	it('only this machine, unless HOST says more; and it says so', async () => {
		const { port, reachable } = await start();
		expect(reachable).toBe('from this machine only (HOST=:: opens it to others)');
		expect(await answers('127.0.0.1', port)).toBe(true);
		if (outside) expect(await answers(outside, port)).toBe(false);
		expect(await answers('127.0.0.2', port)).toBe(false);
	});

	it('on a port that is free, with PORT=0', async () => {
		const { origin } = await startService({ env: { PORT: '0' } });
		expect(await answers('127.0.0.1', Number(new URL(origin).port))).toBe(true);
	});

	it('with HOST=::, everybody', async () => {
		const { port, reachable } = await start({ HOST: '::' });
		expect(reachable).toBe('from every network that this machine is in');
		for (const host of ['127.0.0.1', '127.0.0.2', ...(outside ? [outside] : [])]) {
			expect(await answers(host, port)).toBe(true);
		}
	});

	(outside ? it : it.skip)('with one address, whoever reaches that', async () => {
		const { port, reachable } = await start({ HOST: outside });
		expect(reachable).toBe(`from networks that reach ${outside}`);
		expect(await answers(outside, port)).toBe(true);
		expect(await answers('127.0.0.1', port)).toBe(false);
	});

	const onLinux = process.platform === 'linux' ? it : it.skip;
	onLinux('with several addresses, each serves the same, and all end together', async () => {
		const { service, port, reachable } = await start({ HOST: '127.0.0.1, 127.0.0.3' });
		expect(reachable).toBe('from this machine only (HOST=:: opens it to others)');
		expect(await answers('127.0.0.2', port)).toBe(false);
		const { uuid } = await createContainer(service);
		for (const host of ['127.0.0.1', '127.0.0.3']) {
			const url = `https://${host}:${port}/c/${uuid}`;
			const { dispatcher } = service.api;
			const headers = { host: `localhost:${port}` };
			const { statusCode, body } = await request(url, { dispatcher, headers });
			await body.dump();
			expect([host, statusCode]).toEqual([host, 200]);
		}
		expect(await service.stop()).toBe(0);
		expect(await answers('127.0.0.3', port)).toBe(false);
	});

	const withOwnAuthority = usesServers ? it.skip : it;
	withOwnAuthority('its certificate names TLS_NAMES, and not this machine', async () => {
		const { service } = await start({ TLS_NAMES: 'Files.internal, 192.0.2.9' });
		const pem = readFileSync(join(service.folder, 'tls.pem'));
		const names = new X509Certificate(pem).subjectAltName?.split(', ');
		const own = ['DNS:localhost', 'IP Address:127.0.0.1', 'IP Address:0:0:0:0:0:0:0:1'];
		expect(names).toEqual([...own, 'DNS:files.internal', 'IP Address:192.0.2.9']);
	});

	it('browsers come back by HTTPS only, where they trust the certificate', async () => {
		const env = { TLS: 'off', TRUST_PROXY: '127.0.0.1,::1' };
		const getHeader = async (more: Record<string, string>) => {
			const { service, port } = await start(more);
			const scheme = more.TLS === 'off' ? 'http' : 'https';
			const headers = { 'x-forwarded-proto': 'https' };
			const { dispatcher } = service.api;
			const url = `${scheme}://localhost:${port}/style.css`;
			const response = await request(url, { dispatcher, headers });
			await response.body.dump();
			return response.headers['strict-transport-security'];
		};
		const PUBLIC_URL = 'https://share.example.com';
		const PORT = String(await getFreePort());
		expect(await getHeader({ ...env, PUBLIC_URL, PORT })).toBe('max-age=31536000');
		// It would count for other servers of this machine.
		expect(await getHeader(env)).toBeUndefined();
		if (!usesServers) expect(await getHeader({})).toBeUndefined();
	});
});

(usesServers ? describe.skip : describeService)('an owner without a mailbox', () => {
	it('is renamed before a mail server is used, and keeps what is theirs', async () => {
		const service = await startService();
		const container = await createContainer(service);
		await service.stop();
		const { url, mails, stop } = await startMailServer();
		const env = {
			DATA_DIR: service.folder,
			PORT: '0',
			SMTP_URL: url,
			OWNER_EMAIL: 'olive@example.com',
		};
		const refused = await runService([], env);
		expect(refused).toMatchObject({ code: 2, stdout: '' });
		expect(refused.stderr).toContain('"users rename owner@localhost <your address>"');
		const renamed = await runService(
			['users', 'rename', 'owner@localhost', 'olive@example.com'],
			env,
		);
		expect(renamed).toMatchObject({ code: 0 });
		const again = await startService({ env: { ...env, API_KEY: service.apiKey } });
		expect(again.userId).toBe(service.userId);
		expect((await again.api.get('/me')).body).toMatchObject({ email: 'olive@example.com' });
		const visitor = again.visit(container);
		await visitor.post('code', { email: 'owner@localhost' });
		await visitor.post('code', { email: 'olive@example.com' });
		await waitFor(() => mails.length > 0);
		expect(mails.map(({ to }) => to)).toEqual(['olive@example.com']);
		expect((await visitor.signIn('olive@example.com', mails[0].code)).status).toBe(303);
		await again.stop();
		await stop();
	});

	it('is not renamed to an address that another user has', async () => {
		const service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
		await service.run(['users', 'add', 'ben@example.com']);
		const rename = async (from: string, to: string) =>
			await service.run(['users', 'rename', from, to]);
		expect(await rename('ben@example.com', 'Olive@Example.com')).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('There is already a user Olive@Example.com.'),
		});
		expect((await rename('none@example.com', 'a@example.com')).code).toBe(2);
		expect((await rename('ben@example.com', 'Ben@Example.com')).code).toBe(0);
	});
});

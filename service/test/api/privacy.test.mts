import { setTimeout as sleep } from 'node:timers/promises';
import { createContainer } from '../support/api.mts';
import { MAIL_TIME_MS, readMails, startMailServer, visit } from '../support/door.mts';
import { addUser, describeService, startService, type Service } from '../support/service.mts';

const ADA = 'ada@example.com';
const NOBODY = 'nobody@example.com';
const OLIVE = 'Olive@Example.com';
const IP = '203.0.113.77';

describeService('privacy', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({
			env: { OWNER_EMAIL: OLIVE, LOG_LEVEL: 'trace', TRUST_PROXY: '127.0.0.1,::1' },
		});
	});

	const exported = async (email: string) => {
		const { stdout } = await service.run(['users', 'export', email]);
		return JSON.parse(stdout) as Record<
			'contacts' | 'events' | 'recipientOf' | 'ownerOf',
			object[]
		>;
	};

	it('the log of a whole life names no person, no file and no secret', async () => {
		const password = 'correct horse battery';
		const container = await createContainer(service, {
			...{ name: 'Secret plan', recipients: [ADA], password, files: { 'salaries.csv': 'Hello' } },
			drm: { dynamic: true },
		});
		const path = `/users/${service.userId}/contacts/${ADA}`;
		await service.api.patch(path, { first_name: 'Augusta' });
		const ada = visit(service, container, IP);
		const code = await ada.requestCode(ADA);
		await visit(service, container, IP).signIn(ADA, '1');
		await ada.signIn(ADA, code);
		await ada.enterPassword('wrong horse');
		await ada.go();
		await ada.enterPassword(password);
		expect((await ada.getFile(0)).bytes.toString()).toBe('Hello');
		await service.api.patch(`/containers/${container.uuid}/drm`, {
			recipients: ['ben@example.com'],
		});
		expect((await ada.getFile(0)).status).toBe(403);
		await service.api.get(`/users/${service.userId}/contacts?email=${ADA}&none=${ADA}`);
		await service.api.patch(path, { first_name: 'Augusta\u0000' });
		await service.api.delete(path);
		await service.api.delete(`/containers/${container.uuid}`);
		await visit(service, container, IP).go(`/c/${ADA}`);
		const { stdout, stderr } = service.getOutput();
		const log = stdout.slice(stdout.indexOf('Press Ctrl+C')) + stderr;
		expect(log).toContain('"route":"/c/:id/password"');
		const secrets = ['ada@', 'olive@', 'ben@', 'Augusta', 'Secret plan', 'salaries', IP];
		secrets.push(code, password, service.apiKey, 'wrong horse', ...ada.cookies.values());
		const text = log.toLowerCase();
		expect(secrets.filter((secret) => text.includes(secret.toLowerCase()))).toEqual([]);
	});

	it('the log names nobody whom the mail server refuses', async () => {
		const { url, stop } = await startMailServer();
		const own = await startService({ env: { SMTP_URL: url } });
		const container = await createContainer(own, { recipients: [NOBODY] });
		await visit(own, container).post('code', { email: NOBODY });
		for (let n = 0; n < 100 && !own.getOutput().stderr; n++) await sleep(50);
		const { stderr } = own.getOutput();
		// It keeps a connection.
		await own.stop();
		await stop();
		expect(stderr).toContain("A code couldn't be sent");
		expect(stderr).not.toContain('nobody@');
	});

	it('export prints what is stored about an address, and erase removes it', async () => {
		const boss = await addUser(service, 'Boss@Example.com', ['--admin']);
		const open = await createContainer(service, { recipients: [ADA], drm: { dynamic: true } });
		const fixed = await createContainer(service, { recipients: [ADA] });
		await boss.api.patch(`/containers/${open.uuid}/drm`, { opens: 5 });
		await service.api.patch(`/users/${service.userId}/contacts/${ADA}`, { company: 'Engines' });
		expect((await visit(service, open).signIn(ADA)).status).toBe(303);
		await visit(service, open).requestCode(ADA);
		expect(await exported(ADA)).toMatchObject({
			contacts: [{ address: ADA }],
			events: expect.arrayContaining([expect.objectContaining({ action: 'container.open' })]),
			recipientOf: [{ uuid: open.uuid }, { uuid: fixed.uuid }],
		});
		expect((await exported(OLIVE)).ownerOf).toHaveLength(2);
		expect((await exported('boss@example.com')).events).toHaveLength(1);

		expect((await service.run(['users', 'erase', 'boss@example.com'])).code).toBe(0);
		expect((await boss.api.get('/me')).status).toBe(401);
		expect(await service.run(['users', 'erase', ADA])).toMatchObject({
			...{ code: 1, stdout: `The rules of container ${fixed.uuid} are fixed: delete it.\n` },
		});
		await service.api.delete(`/containers/${fixed.uuid}`);
		expect((await service.run(['users', 'erase', ADA])).code).toBe(0);
		const none = { user: null, ownerOf: [], recipientOf: [], contacts: [], events: [] };
		expect(await exported(ADA)).toEqual({ address: ADA, ...none });
		expect(readMails(service).filter(({ to }) => to === ADA)).toEqual([]);
		await sleep(MAIL_TIME_MS);
		const stored = (await service.readEverythingStored()).toString('latin1').toLowerCase();
		expect([stored.includes(ADA), stored.includes('boss@')]).toEqual([false, false]);
		const refused = await service.run(['users', 'erase', OLIVE]);
		expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('has containers')]);
	});
});

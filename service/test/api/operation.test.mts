import { randomBytes, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../../tools/processes.cts';
import { createContainer, filePart, manifestPart, sendHalves } from '../support/api.mts';
import { waitForKey } from '../support/api.mts';
import { startMailServer } from '../support/recipient.cts';
import * as services from '../support/service.mts';

const { addUser, createFolder, createKey, MAIL_TIME_MS, mainFile, runService } = services;
const { startService, usesServers } = services;
const ADA = 'ada@example.com';
const NOBODY = 'nobody@example.com';
const OLIVE = 'Olive@Example.com';
const IP = '203.0.113.77';

services.describeService('operation', () => {
	let service: services.Service;

	beforeAll(async () => {
		service = await startService({ args: ['--owner', 'olive@example.com'] });
	});

	it('says at its start what one needs, and the key only once', async () => {
		expect(service.printed).toMatchObject({
			'Base URL': expect.stringMatching(/^https:\/\/localhost:\d+\/api\/v1$/),
			'API key': expect.stringMatching(/^ec_\S+ \(shown only now, so keep it\)$/),
			Mails: join(service.folder, 'outbox'),
		});
		await service.restart();
		const { stdout } = service.getOutput();
		expect(stdout).toMatch(/^ {2}API key {2,}as shown at the first start$/m);
		expect(stdout).not.toContain(service.apiKey);
		expect((await service.api.get('/me')).body).toMatchObject({ email: 'olive@example.com' });
		const API_KEY = `ec_${randomBytes(32).toString('base64url')}`;
		const other = await startService({ env: { API_KEY } });
		expect(other.printed['API key']).toBe('as set in API_KEY');
		expect((await other.api.get('/me')).status).toBe(200);
		const { stdout: keys } = await other.run(['keys', 'list']);
		const [id] = keys.split(' ');
		expect((await other.run(['keys', 'revoke', id])).code).toBe(0);
		await other.stop();
		const { code, stderr } = await other.run([]);
		expect([code, stderr]).toEqual([2, expect.stringMatching(/^.*API_KEY can't be used.*\n$/)]);
	});

	it('finishes what runs when it is asked to stop', async () => {
		const own = await startService();
		const parts = [manifestPart({ container: { name: 'Last' } }), filePart('a', 'x'.repeat(1e6))];
		let stopped: Promise<unknown> | undefined;
		const key = randomUUID();
		const stop = async () => {
			await waitForKey(own, key);
			stopped = own.stop();
			await sleep(200);
		};
		const { status } = await sendHalves(own, parts, stop, { 'idempotency-key': key });
		expect([status, await stopped]).toEqual([201, 0]);
	});

	it('keeps nothing in plain text but names', async () => {
		const content = randomBytes(24).toString('hex');
		const password = `password ${randomBytes(12).toString('hex')}`;
		const container = await createContainer(service, {
			...{ recipients: ['ada@example.com'], password },
			files: { 'secret.txt': content.repeat(5000) },
		});
		const ada = service.visit(container);
		const code = await ada.requestCode('ada@example.com');
		await ada.signIn('ada@example.com', code);
		expect((await ada.enterPassword(password)).text).toContain('secret.txt');
		const pending = await service.visit(container).requestCode('ada@example.com');

		const stored = await service.readEverythingStored();
		const plain = ['secret.txt', 'age-encryption.org/v1'];
		expect(plain.filter((text) => stored.includes(text))).toEqual(plain);
		for (const secret of [content, password, service.apiKey, code, pending]) {
			const forms = (['utf8', 'hex', 'base64', 'base64url'] as const).map((encoding) =>
				Buffer.from(secret).toString(encoding),
			);
			expect(forms.filter((form) => stored.includes(form))).toEqual([]);
		}
		const keys = ['master.key', 'ca.key', 'tls.key'].map((name) => join(service.folder, name));
		const modes = keys.map((path) => statSync(path, { throwIfNoEntry: false })?.mode ?? 0);
		expect(modes.filter(Boolean)).toHaveLength(usesServers ? 0 : 3);
		expect(modes.every((mode) => (mode & 0o077) === 0)).toBe(true);
	});

	it('answers 429 with Retry-After to too many requests of one key', async () => {
		const own = await startService({ env: { REQUESTS_PER_MINUTE: '5' } });
		const { api: other } = await createKey(own, 'owner@localhost');
		for (let sent = 0; sent < 5; sent++) expect((await own.api.get('/me')).status).toBe(200);
		const { status, body, headers } = await own.api.get('/me');
		expect([status, body.code]).toEqual([429, 'too_many_requests']);
		expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
		expect((await other.get('/me')).status).toBe(200);
	});

	it('creates users, and keys that can be revoked', async () => {
		const ben = await addUser(service, 'ben@example.com');
		expect((await service.run(['users', 'add', 'BEN@example.com'])).code).not.toBe(0);
		const { id, api: second } = await createKey(service, 'ben@example.com');
		expect((await second.get('/me')).body).toMatchObject({ id: ben.userId });
		const { stdout } = await service.run(['keys', 'list']);
		expect([stdout.includes(id), stdout.includes('ben@example.com')]).toEqual([true, true]);
		expect(stdout).not.toContain(service.apiKey);
		expect((await service.run(['keys', 'revoke', id])).code).toBe(0);
		const statuses = [await ben.api.get('/me'), await second.get('/me')].map(
			({ status }) => status,
		);
		expect(statuses).toEqual([200, 401]);
	});

	it.each([
		'users add ben',
		'keys create none@example.com',
		'keys revoke none',
		'keys list --admin',
		'none',
		'--none',
	])('says in a sentence why it can not do: %s', async (command) => {
		const { code, stderr } = await service.run(command.split(' '));
		expect(code).toBeGreaterThan(0);
		expect(stderr).toMatch(/^.+\n$/);
	});

	const database = { DATABASE_URL: 'postgres://ada:secret@127.0.0.1:1/none' };
	const certificate = { TLS_CERT: '/missing/cert.pem', TLS_KEY: '/missing/key.pem' };
	const values = `PORT=many PORT=65536 OWNER_EMAIL=olive API_KEY=short DATABASE_URL=mysql://localhost
		STORAGE_URL=ftp://localhost SMTP_URL=localhost MASTER_KEY=c2hvcnQ= TLS_KEY=/missing/key.pem
		TLS=maybe TLS_NAMES=a,,b HOST=example TRUST_PROXY=example COUNTRY_DATABASE=/missing/country.mmdb TIME_ZONE=Europe/Nowhere
		REQUESTS_PER_MINUTE=0 EVENTS_DAYS=-1 DELETE_AFTER_DAYS=0 CODES_PER_ADDRESS=five CODES_PER_IP=1.5
		MAX_UPLOAD_BYTES=1GB LOG_LEVEL=loud PUBLIC_URL=share.example.com`;
	// They are read before a database or a storage is.
	(usesServers ? it.skip : it).each<[string, Record<string, string>]>([
		...values.split(/\s+/).map((setting): [string, Record<string, string>] => {
			const [, name, value] = /^(\w+)=(.*)$/.exec(setting) ?? [];
			return [name, { [name]: value }];
		}),
		['MASTER_KEY', { ...database, TLS: 'off' }],
		['TLS_CERT', { ...database, MASTER_KEY: randomBytes(32).toString('base64') }],
		['TLS_CERT', certificate],
		['OWNER_EMAIL', { SMTP_URL: 'smtp://user:secret@127.0.0.1:1' }],
		['TLS_CERT', { TLS_CERT: mainFile, TLS_KEY: mainFile }],
	])('refuses to start with a bad %s, in one sentence: %j', async (name, env) => {
		const data = { DATA_DIR: createFolder(), PORT: '0' };
		const { code, stderr, stdout } = await runService([], { ...data, ...env });
		expect([code, stdout, stderr.trim().split('\n')]).toEqual([
			2,
			'',
			[expect.stringContaining(name)],
		]);
		expect(stderr).not.toContain('secret');
	});
});

services.describeService('privacy', () => {
	let service: services.Service;

	beforeAll(async () => {
		service = await startService({
			env: { OWNER_EMAIL: OLIVE, LOG_LEVEL: 'trace', TRUST_PROXY: '127.0.0.1,::1' },
		});
	});

	const exported = async (email: string) => {
		const { stdout } = await service.run(['users', 'export', email]);
		return JSON.parse(stdout) as Record<string, object[]>;
	};

	it('the log of a whole life names no person, no file and no secret', async () => {
		const password = 'correct horse battery';
		const container = await createContainer(service, {
			...{ name: 'Secret plan', recipients: [ADA], password, files: { 'salaries.csv': 'Hello' } },
			drm: { dynamic: true },
		});
		const path = `/users/${service.userId}/contacts/${ADA}`;
		await service.api.patch(path, { first_name: 'Augusta' });
		const ada = service.visit(container, IP);
		const code = await ada.requestCode(ADA);
		await service.visit(container, IP).signIn(ADA, '1');
		await ada.signIn(ADA, code);
		await ada.enterPassword('wrong horse');
		await ada.go();
		await ada.enterPassword(password);
		expect((await ada.getFile(0)).bytes.toString()).toBe('Hello');
		for (const sent of ['wrong horse', password]) {
			await service.api.decode(container.uuid, { file: 0, password: sent });
		}
		await service.api.patch(`/containers/${container.uuid}/drm`, {
			recipients: ['ben@example.com'],
		});
		expect((await ada.getFile(0)).status).toBe(403);
		await service.api.get(`/users/${service.userId}/contacts?email=${ADA}&none=${ADA}`);
		await service.api.patch(path, { first_name: 'Augusta\u0000' });
		await service.api.delete(path);
		await service.api.delete(`/containers/${container.uuid}`);
		await service.visit(container, IP).go(`/c/${ADA}`);
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
		const own = await startService({ env: { SMTP_URL: url, OWNER_EMAIL: OLIVE } });
		const container = await createContainer(own, { recipients: [NOBODY] });
		await own.visit(container).post('code', { email: NOBODY });
		await waitFor(() => own.getOutput().stderr.includes('"err"'));
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
		expect((await service.visit(open).signIn(ADA)).status).toBe(303);
		await service.visit(open).requestCode(ADA);
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
		expect(await exported(ADA)).toEqual({
			address: ADA,
			user: null,
			apiKeys: [],
			ownerOf: [],
			recipientOf: [],
			sent: [],
			contacts: [],
			requests: [],
			senderOf: [],
			events: [],
			shownPages: [],
		});
		expect(service.readMails().filter(({ to }) => to === ADA)).toEqual([]);
		await sleep(MAIL_TIME_MS);
		const stored = (await service.readEverythingStored()).toString('latin1').toLowerCase();
		expect([stored.includes(ADA), stored.includes('boss@')]).toEqual([false, false]);
		const refused = await service.run(['users', 'erase', OLIVE]);
		expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('has containers')]);
	});
});

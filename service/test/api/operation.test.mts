import { randomBytes } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContainer } from '../support/encode.mts';
import { visit } from '../support/door.mts';
import {
	addUser,
	createKey,
	describeService,
	listFiles,
	runService,
	startService,
	usesServers,
	type Service,
} from '../support/service.mts';

describeService('operation', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({ args: ['--owner', 'olive@example.com'] });
	});

	it('says at its start what one needs, and the key only once', async () => {
		expect(service.printed).toMatchObject({
			'Base URL': expect.stringMatching(/^https:\/\/localhost:\d+\/api\/v1$/),
			'API key': expect.stringMatching(/^ec_\S+ \(shown only now, so keep it\)$/),
			'User ID': expect.stringMatching(/^[\da-f-]{36}$/),
			Mails: join(service.folder, 'outbox'),
		});
		await service.restart();
		expect(service.stdout).toContain('as shown at the first start');
		expect(service.stdout).not.toContain(service.apiKey);
		expect((await service.api.get('/me')).body).toMatchObject({ email: 'olive@example.com' });
	});

	it('accepts a first key', async () => {
		const API_KEY = `ec_${randomBytes(32).toString('base64url')}`;
		const own = await startService({ env: { API_KEY } });
		expect(own.printed['API key']).toBe('as set in API_KEY');
		expect((await own.api.get('/me')).status).toBe(200);
	});

	it('keeps what it stored, also after kill -9', async () => {
		const created = await createContainer(service, { name: 'Kept' });
		await service.kill();
		await service.restart();
		expect((await service.api.get(`/containers/${created.uuid}`)).body).toMatchObject(created);
	});

	it('finishes what runs when it is asked to stop', async () => {
		const own = await startService();
		const files = { 'a.bin': randomBytes(15_000_000) };
		const upload = createContainer(own, { files });
		for (let tries = 0; tries < 500 && listFiles(own.files).length === 0 && !usesServers; tries++) {
			await new Promise((resolve) => setTimeout(resolve, 2));
		}
		const [stopped, created] = await Promise.all([own.stop(), upload]);
		expect([stopped, created.size]).toEqual([0, 15_000_000]);
	});

	it('keeps nothing in plain text but names', async () => {
		const secrets = {
			content: randomBytes(24).toString('hex'),
			password: `password ${randomBytes(12).toString('hex')}`,
		};
		const container = await createContainer(service, {
			recipients: ['ada@example.com'],
			password: secrets.password,
			files: { 'secret.txt': secrets.content.repeat(5000) },
		});
		const ada = visit(service, container);
		const code = await ada.requestCode('ada@example.com');
		await ada.signIn('ada@example.com', code);
		expect((await ada.enterPassword(secrets.password)).page.text).toContain('secret.txt');
		const pending = await visit(service, container).requestCode('ada@example.com');

		const stored = await service.readEverythingStored();
		expect(stored.includes('secret.txt')).toBe(true);
		for (const secret of [...Object.values(secrets), service.apiKey, code, pending]) {
			for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) {
				const found = stored.includes(Buffer.from(secret).toString(encoding));
				expect([secret, encoding, found]).toEqual([secret, encoding, false]);
			}
		}
		expect(stored.includes('age-encryption.org/v1')).toBe(true);
		expect(service.stderr).not.toContain('secret.txt');
	});

	it('keeps its secrets for its own user', () => {
		const secrets = ['master.key', 'ca.key', 'tls.key'].map((name) => join(service.folder, name));
		const existing = secrets.filter((path) => statSync(path, { throwIfNoEntry: false }));
		expect(existing).toHaveLength(usesServers ? 0 : 3);
		expect(existing.map((path) => statSync(path).mode & 0o077)).toEqual(existing.map(() => 0));
	});

	it('answers 429 with Retry-After to too many requests of one key', async () => {
		const own = await startService({ env: { REQUESTS_PER_MINUTE: '5' } });
		const other = own.api.withKey(await createKey(own, 'owner@localhost'));
		for (let sent = 0; sent < 5; sent++) expect((await own.api.get('/me')).status).toBe(200);
		const { status, body, headers } = await own.api.get('/me');
		expect([status, body.code]).toEqual([429, 'too_many_requests']);
		const seconds = Number(headers['retry-after']);
		expect(seconds > 0 && seconds <= 60).toBe(true);
		expect((await other.get('/me')).status).toBe(200);
	});

	it('creates users, and keys that can be revoked', async () => {
		const ben = await addUser(service, 'ben@example.com');
		expect((await service.run(['users', 'add', 'BEN@example.com'])).code).not.toBe(0);
		const second = await createKey(service, 'ben@example.com');
		expect((await ben.api.withKey(second).get('/me')).body).toMatchObject({ id: ben.userId });

		const list = async () => (await service.run(['keys', 'list', 'ben@example.com'])).stdout;
		const before = await list();
		expect(before).not.toContain(second);
		const created = before.split('\n').filter((line) => line.trim() !== '');
		const ids = created.map((line) => line.trim().split(/\s/)[0]);
		// The newest key is the last one.
		const { code } = await service.run(['keys', 'revoke', ids.at(-1) ?? '']);
		expect(code).toBe(0);
		const statuses = [ben.api, ben.api.withKey(second)].map(
			async (api) => (await api.get('/me')).status,
		);
		expect(await Promise.all(statuses)).toEqual([200, 401]);
	});

	it.each([
		[['users', 'add', 'ben']],
		[['keys', 'create', 'nobody@example.com']],
		[['keys', 'revoke', 'unknown']],
		[['unknown']],
		[['--unknown']],
	])('says in a sentence why it can not do: service %j', async (command) => {
		const { code, stderr } = await service.run(command);
		expect(code).toBeGreaterThan(0);
		expect(stderr).toMatch(/^[A-Z].+\.?\n$/);
	});

	it('finds that everything is in order, or what is not', async () => {
		const own = await startService();
		await createContainer(own);
		const second = await createContainer(own);
		await own.api.delete(`/containers/${second.uuid}`);
		const clean = await own.run(['check']);
		expect(clean).toMatchObject({ code: 0 });
		expect(clean.stdout).toMatch(/^1 containers?: everything is in order\.$/m);
		const third = await createContainer(own);
		const before = listFiles(own.files);
		const damaged = before.filter((path) => statSync(path).size > 100);
		for (const path of damaged) writeFileSync(path, 'damaged');
		const { code, stdout } = await own.run(['check']);
		expect(code).toBe(1);
		expect(stdout).toContain(third.uuid);
	});

	const database = 'postgres://ada:secret@127.0.0.1:1/none';
	it.each([
		['PORT', { PORT: 'many' }],
		['PORT', { PORT: '65536' }],
		['OWNER_EMAIL', { OWNER_EMAIL: 'olive' }],
		['API_KEY', { API_KEY: 'short' }],
		['DATABASE_URL', { DATABASE_URL: 'mysql://localhost' }],
		['STORAGE_URL', { STORAGE_URL: 'ftp://localhost' }],
		['SMTP_URL', { SMTP_URL: 'localhost' }],
		['MASTER_KEY', { MASTER_KEY: 'c2hvcnQ=' }],
		['MASTER_KEY', { DATABASE_URL: database, TLS: 'off' }],
		['TLS_CERT', { DATABASE_URL: database, MASTER_KEY: randomBytes(32).toString('base64') }],
		['TLS_KEY', { TLS_CERT: '/missing/cert.pem' }],
		['TLS_CERT', { TLS_CERT: '/missing/cert.pem', TLS_KEY: '/missing/key.pem' }],
		['TLS', { TLS: 'maybe' }],
		['TRUST_PROXY', { TRUST_PROXY: 'example' }],
		['COUNTRY_DATABASE', { COUNTRY_DATABASE: '/missing/country.mmdb' }],
		['TIME_ZONE', { TIME_ZONE: 'Europe/Nowhere' }],
		['REQUESTS_PER_MINUTE', { REQUESTS_PER_MINUTE: '0' }],
		['EVENTS_DAYS', { EVENTS_DAYS: '-1' }],
		['CODES_PER_ADDRESS', { CODES_PER_ADDRESS: 'five' }],
		['CODES_PER_IP', { CODES_PER_IP: '1.5' }],
		['MAX_UPLOAD_BYTES', { MAX_UPLOAD_BYTES: '1 GB' }],
		['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
		['PUBLIC_URL', { PUBLIC_URL: 'share.example.com' }],
	])('refuses to start with a bad %s, in one sentence: %j', async (name, env) => {
		const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
		const { code, stderr, stdout } = await runService([], { DATA_DIR: folder, PORT: '0', ...env });
		await rm(folder, { recursive: true });
		expect([code, stdout]).toEqual([2, '']);
		expect(stderr.trim().split('\n')).toHaveLength(1);
		expect(stderr).toContain(name);
		expect(stderr).not.toContain('secret');
	});
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import LibSql from 'libsql';
import { Client } from 'pg';
import { openSqlite } from '../src/database/sqlite.mts';
import { openS3Storage } from '../src/storage/s3Storage.mts';
import { createContainer, type Contact, type Container } from './support/api.mts';
import type { ServiceEvent } from './support/api.mts';
import { visit } from './support/door.mts';
import { createBackend, describeService, startService } from './support/service.mts';
import { usesServers, type Service } from './support/service.mts';

const firstVersion = join(import.meta.dirname, 'fixtures/version1.sql');
const ADA = 'ada@example.com';
const OWNER = { OWNER_EMAIL: 'olive@example.com', API_KEY: 'ec_the-first-version' };
const MASTER_KEY = Buffer.alloc(32, 1).toString('base64');

/** Fills a database and a storage with what the first version left. @returns what starts a service on them */
async function restore(text: string) {
	const folder = mkdtempSync(join(tmpdir(), 'service-upgrade-'));
	const backend = usesServers ? await createBackend() : undefined;
	const files = [...text.matchAll(/^-- file (\S+) (\S+)$/gm)].map(
		([, name, content]) => [name, Buffer.from(content, 'base64')] as const,
	);
	if (backend) {
		const client = new Client({ connectionString: backend.env.DATABASE_URL });
		await client.connect();
		const sequence = 'bigint generated always as identity primary key';
		await client.query(text.replaceAll('SEQUENCE', sequence));
		await client.end();
		Object.assign(process.env, backend.env);
		const storage = await openS3Storage(backend.env.STORAGE_URL);
		for (const [name, content] of files) await storage.write(name, [content] as never);
	} else {
		const database = new LibSql(join(folder, 'service.db'));
		database.exec(text.replaceAll('SEQUENCE', 'integer primary key autoincrement'));
		database.close();
		mkdirSync(join(folder, 'files'));
		for (const [name, content] of files) writeFileSync(join(folder, 'files', name), content);
	}
	const data: Record<string, string> = usesServers ? {} : { DATA_DIR: folder };
	const start = async () =>
		await startService({
			...(backend && { backend: { ...backend, env: { ...backend.env, MASTER_KEY } } }),
			// The events of the first version grow old.
			env: { ...data, ...OWNER, MASTER_KEY, EVENTS_DAYS: '36500' },
		});
	return { start, remove: () => rmSync(folder, { recursive: true }) };
}

describeService.each([
	['an empty database', '', []],
	[
		'the database of the first version',
		readFileSync(firstVersion, 'utf8'),
		['Größe', 'With a password'],
	],
])('two processes that start at the same moment on %s', (_title, text, names) => {
	let services: Service[];
	let remove: () => void;

	beforeAll(async () => {
		const restored = await restore(text);
		remove = restored.remove;
		services = await Promise.all([restored.start(), restored.start()]);
	});
	afterAll(() => remove());

	const list = async (service: Service) =>
		await service.api.getAll<Container>(`/users/${service.userId}/containers`);

	it('have one owner, all containers, and can both write', async () => {
		expect(services[1].userId).toBe(services[0].userId);
		for (const service of services) {
			expect((await list(service)).map(({ name }) => name)).toEqual(names);
		}
		for (const service of services) await createContainer(service);
		for (const service of services) {
			const { code, stdout, stderr } = await service.run(['check']);
			const all = `${names.length + 2} containers: everything is in order.\n`;
			expect([code, stdout, stderr]).toEqual([0, all, '']);
		}
	});

	(names.length > 0 ? it : it.skip)('open, change and tell what was there', async () => {
		const [service] = services;
		const [plan, locked] = await list(service);
		const path = `/containers/${plan.uuid}`;
		const rules = { dynamic: true, opens: 6, recipients: [ADA] };
		const { body, headers } = await service.api.get(`${path}/drm`);
		expect([body, headers.etag]).toEqual([expect.objectContaining(rules), '"2"']);
		const visitor = visit(service, plan);
		expect((await visitor.signIn(ADA)).status).toBe(303);
		expect((await visitor.getFile(0)).bytes.toString()).toBe('The plan');
		expect((await service.api.get<Container>(path)).body).toMatchObject({ opens_used: 2 });
		const other = visit(services[1], locked);
		await other.signIn(ADA);
		await other.enterPassword('correct');
		expect((await other.getFile(0)).bytes.toString()).toBe('The secret');
		expect((await service.api.patch(`${path}/drm`, { opens: 7 })).status).toBe(200);

		const user = `/users/${service.userId}`;
		const contact = (await service.api.get<Contact>(`${user}/contacts/${ADA}`)).body;
		expect(contact).toMatchObject({ first_name: 'Ada', age: 36 });
		const events = await service.api.getAll<ServiceEvent>(`${user}${path}/events`);
		const actions = ['container.create', 'drm.update', 'container.open'];
		expect(events.map(({ action }) => action)).toEqual([
			...actions,
			'container.open',
			'drm.update',
		]);
		const { code, stdout } = await service.run(['check']);
		expect([code, stdout]).toEqual([0, '4 containers: everything is in order.\n']);
	});
});

describe('a SQLite file', () => {
	const folder = mkdtempSync(join(tmpdir(), 'service-sqlite-'));
	const database = openSqlite(join(folder, 'test.db'));

	beforeAll(() => database.prepare('create table notes (value)').run([]));
	afterAll(() => {
		database.close();
		rmSync(folder, { recursive: true });
	});

	it('stores texts, numbers and null as they are, and refuses what would end the process', () => {
		const insert = database.prepare('insert into notes values (?)');
		const values = ['text', '', 1.5, 0, null];
		for (const value of values) insert.run([value]);
		for (const value of [true, undefined, 'a\0b', NaN, {}, 1n]) {
			expect(() => insert.run([value])).toThrow(TypeError);
			expect(() => insert.all([value])).toThrow(TypeError);
			expect(() => insert.iterate([value])).toThrow(TypeError);
		}
		const rows = database.prepare('select value from notes').all([]);
		expect(rows).toEqual(values.map((value) => ({ value })));
	});
});

import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import LibSql from 'libsql';
import { Client } from 'pg';
import { openDatabase } from '../src/database/open.mts';
import { openSqlite } from '../src/database/sqlite.mts';
import { openS3Storage } from '../src/storage/s3Storage.mts';
import { waitFor } from '../../tools/processes.cts';
import { createContainer } from './support/api.mts';
import type { Api, Contact, Container, ServiceEvent } from './support/api.mts';
import { createBackend, createFolder, describeService } from './support/service.mts';
import { startService, times, usesServers, type Service } from './support/service.mts';

const firstVersion = join(import.meta.dirname, 'fixtures/version1.sql');
const ADA = 'ada@example.com';
const OWNER = { OWNER_EMAIL: 'olive@example.com', API_KEY: 'ec_the-first-version' };
const MASTER_KEY = Buffer.alloc(32, 1).toString('base64');

/** Fills a database and a storage with what the first version left. @returns what starts a service on it */
async function restore(text: string) {
	const folder = createFolder();
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
	return async () =>
		await startService({
			...(backend && { backend: { ...backend, env: { ...backend.env, MASTER_KEY } } }),
			// The events of the first version grow old.
			env: { ...data, ...OWNER, MASTER_KEY, EVENTS_DAYS: '36500' },
		});
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

	beforeAll(async () => {
		const start = await restore(text);
		services = await Promise.all([start(), start()]);
	});

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
			expect([code, stdout.startsWith(all), stderr]).toEqual([0, true, '']);
		}
	});

	(names.length > 0 ? it : it.skip)('open, change and tell what was there', async () => {
		const [service] = services;
		const [plan, locked] = await list(service);
		const path = `/containers/${plan.uuid}`;
		const rules = { dynamic: true, opens: 6, recipients: [ADA] };
		const { body, headers } = await service.api.get(`${path}/drm`);
		expect([body, headers.etag]).toEqual([expect.objectContaining(rules), '"2"']);
		const ofAda = `/users/${service.userId}/containers?recipient=${ADA}`;
		const found = (await service.api.getAll<Container>(ofAda)).map(({ uuid }) => uuid);
		expect(found).toEqual([plan.uuid, locked.uuid]);
		const visitor = service.visit(plan);
		expect((await visitor.signIn(ADA)).status).toBe(303);
		expect((await visitor.getFile(0)).bytes.toString()).toBe('The plan');
		expect((await service.api.get<Container>(path)).body).toMatchObject({ opens_used: 2 });
		const other = services[1].visit(locked);
		await other.signIn(ADA);
		await other.enterPassword('correct');
		expect((await other.getFile(0)).bytes.toString()).toBe('The secret');
		expect((await service.api.patch(`${path}/drm`, { opens: 7 })).status).toBe(200);
		// After the response, the seal gets the hash that the first version did not write.
		const expectWithoutHash = async () => {
			const { code, stdout } = await service.run(['check', '--read']);
			expect([code, stdout.match(/^ {2}\S+$/gm)]).toEqual([0, [`  ${locked.uuid}`]]);
		};
		const isRenewed = async () =>
			await expectWithoutHash().then(
				() => true,
				() => false,
			);
		await waitFor(isRenewed, 60_000);

		const user = `/users/${service.userId}`;
		const contact = (await service.api.get<Contact>(`${user}/contacts/${ADA}`)).body;
		expect(contact).toMatchObject({ first_name: 'Ada', age: 36 });
		const events = await service.api.getAll<ServiceEvent>(`${user}${path}/events`);
		const before = ['container.create', 'drm.update', 'container.open'];
		const actions = [...before, 'container.open', 'drm.update'];
		expect(events.map(({ action }) => action)).toEqual(actions);
	});
});

it('whoever watches the database hears of each statement, and of those that fail', async () => {
	const backend = usesServers ? await createBackend() : undefined;
	const observer = { onConnection: jest.fn(), onStatement: jest.fn(), onError: jest.fn() };
	const database = await openDatabase(backend?.env.DATABASE_URL, createFolder(), { observer });
	const count = () => Object.values(observer).map(({ mock }) => mock.calls.length);
	jest.clearAllMocks();
	const start = performance.now();
	await sql`select 1`.execute(database);
	const most = (performance.now() - start) / 1000;
	expect(count()).toEqual([1, 1, 0]);
	expect(observer.onConnection.mock.lastCall![0]).toBeLessThanOrEqual(most);
	await expect(sql`select nothing`.execute(database)).rejects.toThrow('nothing');
	expect(count()).toEqual([2, 2, 1]);
	await database.destroy();
});

it('SQLite stores texts, numbers and null as they are, and refuses what would end the process', () => {
	const database = openSqlite(join(createFolder(), 'test.db'));
	database.prepare('create table notes (value)').run([]);
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
	database.close();
});

it.each([
	'begin',
	"insert into notes values ('lost')",
	"update notes set value = 'lost' returning *",
])('SQLite goes on after another process held the lock for too long: %s', (text) => {
	const file = join(createFolder(), 'test.db');
	const [database, other] = times(2, () => openSqlite(file));
	const run = ({ prepare }: typeof database, text: string) => {
		const statement = prepare(text);
		return statement.reader ? statement.all([]) : statement.run([]).changes;
	};
	run(database, 'create table notes (value)');
	run(database, 'pragma busy_timeout = 50');
	run(other, 'begin');
	run(other, "insert into notes values ('first')");
	expect(() => run(database, text)).toThrow('locked');
	run(other, 'commit');
	run(database, 'begin');
	run(database, "insert into notes values ('second')");
	run(database, 'commit');
	expect(run(database, "insert into notes values ('third')")).toBe(1);
	expect(run(other, 'select value from notes')).toEqual(
		['first', 'second', 'third'].map((value) => ({ value })),
	);
	run(other, "insert into notes values ('fourth')");
	database.close();
	other.close();
});

it('SQLite leaves nothing of a change that fails, and goes on', () => {
	const database = openSqlite(join(createFolder(), 'test.db'));
	database.prepare('create table notes (value unique)').run([]);
	const insert = 'insert into notes select value from json_each(?)';
	const add = (...values: number[]) => database.prepare(insert).run([JSON.stringify(values)]);
	add(1);
	expect(() => add(2, 1)).toThrow('UNIQUE');
	add(3);
	expect(database.prepare('select value from notes').all([])).toEqual([{ value: 1 }, { value: 3 }]);
	database.close();
});

(usesServers ? describeService : describe.skip)(
	'two processes on one database and one storage',
	() => {
		let services: Service[];
		/** One of each process, with the same key. */
		let apis: Api[];
		let userId: string;

		beforeAll(async () => {
			const backend = await createBackend();
			const start = async () =>
				await startService({ backend, env: { OWNER_EMAIL: 'olive@example.com' } });
			services = await Promise.all(times(2, start));
			const key = services.map(({ apiKey }) => apiKey).find((shown) => shown.startsWith('ec_'));
			apis = services.map(({ api }) => api.withKey(key!));
			userId = services[0].userId;
		});

		const at = (n: number) => ({ ...services[n % 2], api: apis[n % 2], userId });

		it('open what another one encrypted, by sessions and codes of any of them', async () => {
			const content = randomBytes(3_000_000);
			const container = await createContainer(at(0), {
				...{ recipients: [ADA], downloadable: true, password: 'correct' },
				files: { 'a.bin': content },
			});
			const [elsewhere, visitor] = services.map((service) => service.visit(container));
			await visitor.signIn(ADA);
			await visitor.enterPassword('correct');
			expect((await visitor.getFile(0)).bytes.equals(content)).toBe(true);
			for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value);
			const { bytes } = await elsewhere.getFile(0, { range: 'bytes=65530-65540' });
			expect(bytes.equals(content.subarray(65_530, 65_541))).toBe(true);
			const code = await services[0].visit(container).requestCode(ADA);
			const signIn = async (service: Service) => await service.visit(container).signIn(ADA, code);
			const statuses = (await Promise.all(services.map(signIn))).map(({ status }) => status);
			expect(statuses.sort()).toEqual([303, 403]);
			await apis[1].delete(`/containers/${container.uuid}`);
			expect((await elsewhere.getFile(0)).status).toBe(404);
		});

		it('return every event in its order to who reads on while both write', async () => {
			const path = `/users/${userId}/events`;
			const before = (await apis[0].getAll<ServiceEvent>(path)).at(-1)?.id ?? '0';
			let isWriting = true;
			const write = async (client: number) => {
				const container = await createContainer(at(client), { drm: { dynamic: true } });
				for (const opens of times(25, (n) => n + 1)) {
					await apis[client % 2].patch(`/containers/${container.uuid}/drm`, { opens });
				}
			};
			const readOn = async (api: Api) => {
				const seen = [before];
				for (let isLast = false; !isLast;) {
					isLast = !isWriting;
					const { body } = await api.get<ServiceEvent[]>(`${path}?after=${seen.at(-1)}`);
					seen.push(...body.map(({ id }) => id));
					isLast &&= body.length === 0;
				}
				return seen.slice(1);
			};
			const readers = Promise.all([...apis, ...apis].map(readOn));
			await Promise.all(times(16, write)).finally(() => (isWriting = false));
			const all = (await apis[1].getAll<ServiceEvent>(`${path}?after=${before}`)).map(
				({ id }) => id,
			);
			expect(all).toHaveLength(16 * 26);
			expect(all).toEqual([...all].sort((one, other) => Number(one) - Number(other)));
			for (const seen of await readers) expect(seen).toEqual(all);
			expect(await services[0].run(['check'])).toMatchObject({ code: 0, stderr: '' });
		});
	},
);

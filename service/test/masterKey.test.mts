import { createHmac, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import LibSql from 'libsql';
import { encryptText } from '../src/containers/encryptText.mts';
import { deriveKey, parseMasterKey, type MasterKey } from '../src/containers/masterKeys.mts';
import type { ContainerRow } from '../src/database/schema.mts';
import { createContainer, type Container } from './support/api.mts';
import { describeService, runService, startService, usesServers } from './support/service.mts';
import type { Service } from './support/service.mts';

const ADA = 'ada@example.com';
const SIGN_IN = 'Sign in to open your files';

(usesServers ? describe.skip : describeService)('a new master key', () => {
	let service: Service;
	let database: LibSql.Database;

	beforeEach(async () => {
		service = await startService();
		database = new LibSql(join(service.folder, 'service.db'));
		// The service might be writing.
		database.exec('pragma busy_timeout=10000');
	});
	afterEach(() => database.close());

	const create = async () =>
		await createContainer(service, {
			recipients: [ADA],
			drm: { dynamic: true, opens: 100 },
		});
	const rotate = async () => await service.run(['master-key', 'rotate']);
	const retire = async (id: string) => await service.run(['master-key', 'retire', id]);
	const readKeyFile = () => readFileSync(join(service.folder, 'master.key'), 'utf8');
	/** The first one seals. */
	const readKeys = () =>
		readKeyFile()
			.trim()
			.split('\n')
			.map((line) => parseMasterKey(line)!);
	const readRow = ({ uuid }: Container) =>
		database.prepare('SELECT * FROM containers WHERE id = ?').get(uuid) as ContainerRow;
	const write = ({ id, master_key_id: key }: ContainerRow, seal: string) =>
		database
			.prepare('UPDATE containers SET seal = ?, master_key_id = ? WHERE id = ?')
			.run([seal, key, id]);
	const expectInOrder = async () => expect((await service.run(['check'])).code).toBe(0);
	const expectOpen = async (container: Container) =>
		expect((await service.visit(container).signIn(ADA)).status).toBe(303);

	it('seals while containers are opened and changed', async () => {
		const container = await create();
		const opened = service.visit(container);
		await opened.signIn(ADA);
		const old = readKeyFile();
		const statuses = new Set<number>();
		let isOver = false;
		const until = async (act: (n: number) => Promise<{ status: number }>) => {
			for (let n = 1; !isOver; n++) statuses.add((await act(n)).status);
		};
		// Each is sealed again at each rotation: without an end, a slow machine would have more and more to do.
		const createSome = async (n: number) => {
			if (n <= 30) await create();
			else await sleep(20);
			return { status: 200 };
		};
		const path = `/containers/${container.uuid}/drm`;
		const busy = [
			until(async (opens) => await service.api.patch(path, { opens })),
			until(async () => await opened.go()),
			until(createSome),
		];
		for (let n = 0; n < 3; n++) expect((await rotate()).code).toBe(0);
		isOver = true;
		await Promise.all(busy);
		expect([...statuses]).toEqual([200]);
		expect(readKeyFile()).toMatch(/^(\S{44}\n){4}$/);
		expect(readKeyFile().endsWith(old)).toBe(true);
		const keys = database.prepare('SELECT DISTINCT master_key_id FROM containers').all();
		expect(keys).toHaveLength(1);
		await expectInOrder();
	});

	it('seals what a rotation that broke off left, and names a container that is broken', async () => {
		const one = await create();
		const other = await create();
		const row = readRow(one);
		await rotate();
		write(row, row.seal);
		expect((await rotate()).code).toBe(0);
		await expectInOrder();
		for (const container of [one, other]) await expectOpen(container);
		write(readRow(one), 'AAAA');
		const { code, stdout } = await rotate();
		expect([code, stdout]).toEqual([1, expect.stringContaining(one.uuid)]);
		expect(stdout).toMatch(/^1 container sealed/m);
	});

	it('ends sessions, and codes that were on their way', async () => {
		const container = await create();
		const inside = service.visit(container);
		const waiting = service.visit(container);
		await inside.signIn(ADA);
		const code = await waiting.requestCode(ADA);
		const { stdout } = await rotate();
		expect(stdout).toContain('whoever was inside signs in again');
		expect((await inside.go()).text).toContain(SIGN_IN);
		expect((await inside.getFile(0)).status).toBe(303);
		expect((await waiting.signIn(ADA, code)).status).toBe(403);
		await expectOpen(container);
	});

	/** A cookie as the service makes it, by somebody who has the key. */
	const forgeSession = (key: MasterKey, { uuid }: Container) => {
		const times = { sessionId: randomUUID(), sessionEnd: Date.now() + 3.2e10 };
		const session = { ...times, address: 'owner@localhost', isOpen: true, isOwner: true };
		return encryptText(deriveKey(key, 'session'), JSON.stringify(session), uuid);
	};
	/** A code as the service stores it, by somebody who has the key and writes to the database. */
	const forgeCode = (key: MasterKey, { uuid }: Container, code: string) => {
		const hmac = createHmac('sha256', deriveKey(key, 'code'));
		const hash = hmac.update(JSON.stringify([uuid, ADA, code])).digest('base64url');
		const values = [randomUUID(), uuid, ADA, hash, 0, Date.now() + 60_000];
		database.prepare('INSERT INTO codes VALUES (?, ?, ?, ?, ?, ?)').run(values);
	};

	it('Whoever has an old master key makes no session and no code', async () => {
		await rotate();
		const container = await create();
		const [current, leaked] = readKeys();
		const enter = async (cookie: string) => {
			const visitor = service.visit(container);
			visitor.cookies.set('session', cookie);
			const page = await visitor.go();
			const file = await visitor.getFile(0);
			return [page.text.includes('note.txt'), file.bytes.toString() === 'Hello'];
		};
		// What is forged is right but for the key.
		expect(await enter(forgeSession(current, container))).toEqual([true, true]);
		expect(await enter(forgeSession(leaked, container))).toEqual([false, false]);
		expect(await enter(`${leaked.id}.${forgeSession(leaked, container)}`)).toEqual([false, false]);
		forgeCode(leaked, container, '11111111');
		expect((await service.visit(container).signIn(ADA, '11111111')).status).toBe(403);
		forgeCode(current, container, '22222222');
		expect((await service.visit(container).signIn(ADA, '22222222')).status).toBe(303);
	});

	it('lets the old one be retired once no container needs it', async () => {
		const container = await create();
		const row = readRow(container);
		const [old] = readKeys();
		expect(await retire(old.id)).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('is the current one'),
		});
		const { stdout } = await rotate();
		expect(stdout).toContain(`"master-key retire ${old.id}"`);
		expect(stdout).toContain('If an old key leaked');
		const sealed = readRow(container);
		write(row, row.seal);
		expect(await retire(old.id)).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('still seals 1 container. Run "master-key rotate" first.'),
		});
		expect(readKeys()).toHaveLength(2);
		write(sealed, sealed.seal);
		expect(await retire(old.id)).toMatchObject({ code: 0 });
		expect(readKeys().map(({ id }) => id)).toEqual([sealed.master_key_id]);
		await expectOpen(container);
		await service.restart();
		await expectInOrder();
		expect(await retire(old.id)).toMatchObject({
			code: 2,
			stderr: `There is no old master key with the ID ${old.id}.\n`,
		});
	});

	it('from the environment: retire names the variable to empty, and takes the key out of the file', async () => {
		await create();
		const [old] = readKeys();
		await service.stop();
		const env = {
			DATA_DIR: service.folder,
			MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
			MASTER_KEY_PREVIOUS: old.secret.toString('base64'),
		};
		expect((await runService(['master-key', 'rotate'], env)).code).toBe(0);
		const { code, stdout } = await runService(['master-key', 'retire', old.id], env);
		expect([code, stdout]).toEqual([0, expect.stringContaining('empty MASTER_KEY_PREVIOUS')]);
		expect(existsSync(join(service.folder, 'master.key'))).toBe(false);
		const { DATA_DIR, MASTER_KEY } = env;
		expect(await runService(['check'], { DATA_DIR, MASTER_KEY })).toMatchObject({ code: 0 });
	});
});

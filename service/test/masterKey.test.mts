import { join } from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import LibSql from 'libsql';
import { visit } from './support/door.mts';
import { createContainer } from './support/encode.mts';
import { describeService, startService, usesServers, type Service } from './support/service.mts';

const ADA = 'ada@example.com';

// The key is in the data folder, and what SQLite holds is changed.
(usesServers ? describe.skip : describeService)('a new master key', () => {
	let service: Service;
	let database: LibSql.Database;

	beforeEach(async () => {
		service = await startService();
		database = new LibSql(join(service.folder, 'service.db'));
	});
	afterEach(() => database.close());

	const create = async () => await createContainer(service, { recipients: [ADA] });
	const readKeys = () => readFileSync(join(service.folder, 'master.key'), 'utf8');
	const readRows = () =>
		database.prepare('SELECT id, seal, master_key_id FROM containers ORDER BY seq').all() as Array<
			Record<'id' | 'seal' | 'master_key_id', string>
		>;
	const write = (id: string, seal: string, key: string) =>
		database
			.prepare('UPDATE containers SET seal = ?, master_key_id = ? WHERE id = ?')
			.run([seal, key, id]);

	it('seals all containers, and what was open stays open', async () => {
		const container = await create();
		const visitor = visit(service, container);
		await visitor.signIn(ADA);
		const old = readKeys();
		const { code, stdout } = await service.run(['master-key', 'rotate']);
		expect([code, stdout]).toEqual([0, expect.stringContaining('1 container sealed')]);
		const [added, ...others] = readKeys().split('\n');
		expect([added.length, others.join('\n')]).toEqual([44, old]);
		expect((await visitor.getFile(0)).status).toBe(200);
		expect((await visit(service, await create()).signIn(ADA)).status).toBe(303);
		expect((await service.run(['check'])).code).toBe(0);
	});

	it('comes while containers are made, opened and changed, and codes that wait stay good', async () => {
		const waiting = visit(service, await create());
		const code = await waiting.requestCode(ADA);
		const dynamic = { recipients: [ADA], drm: { dynamic: true } };
		const changed = await createContainer(service, dynamic);
		const opened = visit(service, changed);
		await opened.signIn(ADA);
		const statuses = new Set<number>();
		let isOver = false;
		const until = async (act: (n: number) => Promise<{ status: number }>) => {
			for (let n = 1; !isOver; n++) statuses.add((await act(n)).status);
		};
		const path = `/containers/${changed.uuid}/drm`;
		const busy = [
			until(async (opens) => await service.api.patch(path, { opens })),
			until(async () => await opened.getFile(0)),
			until(async () =>
				(await createContainer(service, dynamic)) ? { status: 200 } : { status: 0 },
			),
			until(async () => ({ status: (await visit(service, changed).go()).status })),
		];
		for (let n = 0; n < 3; n++) expect((await service.run(['master-key', 'rotate'])).code).toBe(0);
		isOver = true;
		await Promise.all(busy);
		expect([...statuses]).toEqual([200]);
		expect(new Set(readRows().map(({ master_key_id }) => master_key_id)).size).toBe(1);
		expect((await service.run(['check'])).code).toBe(0);
		expect((await waiting.signIn(ADA, code)).status).toBe(303);
	});

	it('starts with no file that holds no key', async () => {
		writeFileSync(join(service.folder, 'master.key'), '');
		const { code, stderr } = await service.run(['check']);
		expect([code, stderr]).toEqual([
			2,
			expect.stringContaining('master.key is missing, or has no key'),
		]);
	});

	it('seals what a rotation that broke off left', async () => {
		const containers = [await create(), await create()];
		const [{ id, seal, master_key_id }] = readRows();
		await service.run(['master-key', 'rotate']);
		write(id, seal, master_key_id);
		expect((await service.run(['master-key', 'rotate'])).code).toBe(0);
		expect((await service.run(['check'])).code).toBe(0);
		for (const container of containers) {
			expect((await visit(service, container).signIn(ADA)).status).toBe(303);
		}
	});

	it('seals the others where one is broken', async () => {
		await create();
		await create();
		const [{ id, master_key_id }, other] = readRows();
		write(id, 'AAAA', master_key_id);
		const { code, stdout } = await service.run(['master-key', 'rotate']);
		expect([code, stdout]).toEqual([1, expect.stringContaining(id)]);
		expect(stdout).toMatch(/^1 container sealed/m);
		expect(readRows()[1].master_key_id).not.toBe(other.master_key_id);
		expect((await service.run(['master-key', 'rotate'])).code).toBe(1);
		await service.restart();
	});
});

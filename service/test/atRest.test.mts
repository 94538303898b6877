import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import LibSql from 'libsql';
import which from 'which';
import { openMasterKeys } from '../src/containers/masterKeys.mts';
import { checkPassword, getIdentity } from '../src/containers/passwordSecret.mts';
import { openSeal } from '../src/containers/seal.mts';
import type { ContainerRow } from '../src/database/schema.mts';
import { waitFor } from '../../tools/processes.cts';
import { createContainer, type Container, type ContainerToCreate } from './support/api.mts';
import { createFolder, describeService, startService } from './support/service.mts';
import { usesServers, type Service } from './support/service.mts';

const ADA = 'ada@example.com';
const whereAge = which.sync('age', { nothrow: true }) ? it : it.skip;

let service: Service;
let database: LibSql.Database;

/** For each test, or for all: the tests change what SQLite and the folder hold. */
const start = async () => {
	service = await startService();
	database = new LibSql(join(service.folder, 'service.db'));
	// The service might be writing.
	database.exec('pragma busy_timeout=10000');
};
const create = async (container: ContainerToCreate = {}) => {
	const drm = { dynamic: true, opens: 100 };
	return await createContainer(service, {
		...{ recipients: [ADA], downloadable: true, drm, ...container },
	});
};
const readRow = ({ uuid }: Pick<Container, 'uuid'>) =>
	database.prepare('SELECT * FROM containers WHERE id = ?').get(uuid) as ContainerRow;
const getFile = (container: Container) => join(service.folder, 'files', readRow(container).object);
const expectOpen = async (container: Container) =>
	expect((await service.visit(container).signIn(ADA)).status).toBe(303);
const expectInOrder = async () => expect((await service.run(['check'])).code).toBe(0);

(usesServers ? describe.skip : describeService)('what is stored', () => {
	beforeAll(start);
	afterAll(() => database.close());

	const getIdentityOf = async (container: Container, password = '') => {
		const keys = openMasterKeys(join(service.folder, 'master.key'), {});
		const { secret } = openSeal(keys, readRow(container));
		const key = await checkPassword(container.uuid, secret, password);
		return getIdentity(container.uuid, secret, key || undefined);
	};

	whereAge.each([undefined, 'correct horse'])('is read by age (password: %s)', async (password) => {
		const [one, other] = [randomBytes(200_000), randomBytes(65_536)];
		const container = await create({ password, files: { a: one, empty: '', b: other } });
		const identity = await getIdentityOf(container, password);
		const identityFile = join(service.folder, 'identity.txt');
		writeFileSync(identityFile, `${identity}\n`);
		const output = execFileSync('age', ['-d', '-i', identityFile, getFile(container)]);
		expect(output.equals(Buffer.concat([one, other]))).toBe(true);
		expect(await getIdentityOf(container, 'wrong')).toBe(password ? undefined : identity);
	});

	it('Whoever reads the database and its log after a deletion finds no key of the container', async () => {
		const container = await create();
		const { seal } = readRow(container);
		expect((await service.readEverythingStored()).includes(seal)).toBe(true);
		await service.api.delete(`/containers/${container.uuid}`);
		expect((await service.readEverythingStored()).includes(seal)).toBe(false);
	});

	const flip = (file: string, position: number) => {
		const bytes = readFileSync(file);
		bytes[position] ^= 1;
		writeFileSync(file, bytes);
	};

	it('holds no key of a container that was deleted while another process was reading', async () => {
		const [container, other] = [await create(), await create()];
		const { seal } = readRow(container);
		const reader = new LibSql(join(service.folder, 'service.db'));
		reader.exec('BEGIN');
		reader.prepare('SELECT * FROM containers').all();
		const start = Date.now();
		await service.api.delete(`/containers/${container.uuid}`);
		expect((await service.api.get(`/containers/${other.uuid}`)).status).toBe(200);
		// SQLite would have waited ten seconds for the reader, and everybody with it.
		expect(Date.now() - start).toBeLessThan(9000);
		expect((await service.readEverythingStored()).includes(seal)).toBe(true);
		reader.exec('COMMIT');
		reader.close();
		const isGone = async () => !(await service.readEverythingStored()).includes(seal);
		await waitFor(isGone, 60_000);
	});

	it('is read by nobody else, also in a folder that was there before', async () => {
		const folder = createFolder();
		chmodSync(folder, 0o755);
		writeFileSync(join(folder, 'service.db'), '', { mode: 0o644 });
		const { uuid } = await createContainer(await startService({ env: { DATA_DIR: folder } }));
		expect(uuid).toBeDefined();
		for (const name of ['service.db', 'service.db-wal', 'service.db-shm', 'master.key']) {
			const { mode } = statSync(join(folder, name));
			expect([name, (mode & 0o777).toString(8)]).toEqual([name, '600']);
		}
	});

	it('has the cost of a password beside it: 32 MB, three times', async () => {
		const keys = openMasterKeys(join(service.folder, 'master.key'), {});
		const { secret } = openSeal(keys, readRow(await create({ password: 'correct' })));
		expect(secret).toMatchObject({ cost: 2 ** 15, parallelization: 3 });
	});

	it('Whoever changes a byte of a file is found by check --read, also under a password', async () => {
		const files = { 'a.bin': randomBytes(100_000), 'b.txt': 'Hello' };
		const containers = [await create({ files }), await create({ files, password: 'correct' })];
		const inOrder = await service.run(['check', '--read']);
		expect(inOrder).toMatchObject({ code: 0, stderr: '' });
		expect(inOrder.stdout).toMatch(/^\d+ containers: everything is in order\.\n/);
		// In the first chunk, and in the last tag.
		flip(getFile(containers[0]), 5000);
		flip(getFile(containers[1]), readFileSync(getFile(containers[1])).length - 1);
		const { code, stdout } = await service.run(['check', '--read']);
		const problems = containers.map(({ uuid }) => {
			const { object } = readRow({ uuid });
			return `Container ${uuid} can't be opened: its file ${object} isn't the one that was written.`;
		});
		expect([code, stdout.split('\n').slice(0, 2)]).toEqual([1, problems]);
		const withoutReading = await service.run(['check']);
		expect(withoutReading.code).toBe(0);
		expect(withoutReading.stdout).toContain('Only the sizes of files were compared.');
		for (const { uuid } of containers) await service.api.delete(`/containers/${uuid}`);
	});

	it('costs only the preview of a text that was spoiled', async () => {
		// The text is in a chunk of its own.
		const files = { 'a.bin': randomBytes(3 * 65_536), 'b.txt': 'Hello' };
		const container = await create({ files });
		const visitor = service.visit(container);
		await visitor.signIn(ADA);
		const file = getFile(container);
		flip(file, readFileSync(file).length - 1);
		const page = `/c/${container.uuid}?file=1`;
		const { status, html } = await visitor.go(page);
		expect([status, html]).toEqual([200, expect.stringContaining('is missing or damaged')]);
		expect(html).not.toContain('Hello');
		expect((await visitor.getFile(0)).bytes.equals(files['a.bin'])).toBe(true);
		flip(file, readFileSync(file).length - 1);
		expect((await visitor.go(page)).html).toContain('Hello');
	});

	/** Expects that nobody reads a container any more, and that `check` says why. */
	const expectClosed = async (container: Container, spoil: () => unknown, problem: RegExp) => {
		const [inside, outside] = [service.visit(container), service.visit(container)];
		expect((await inside.signIn(ADA)).status).toBe(303);
		const read = async () => await inside.getFile(0).then(({ bytes }) => bytes.toString());
		expect(await read()).toBe('Hello');
		const code = await outside.requestCode(ADA);
		spoil();
		expect(await read().catch(() => 'broken off')).not.toContain('Hello');
		const { status, html } = await outside.signIn(ADA, code);
		expect(html).not.toContain('Hello');
		const found = { code: 1, stdout: expect.stringMatching(problem) };
		expect(await service.run(['check'])).toMatchObject(found);
		return status;
	};

	/** Expects that a container with a changed column is closed, and that it opens again once it is as it was. */
	const expectSealed = async (
		container: Container,
		column: keyof ContainerRow,
		changed: string,
	) => {
		const row = readRow(container);
		const update = database.prepare(`UPDATE containers SET ${column} = ? WHERE id = ?`);
		const set = (value: unknown) => update.run([value, row.id]);
		const problem = /its rules, owner or files were changed outside of the service/;
		expect(await expectClosed(container, () => set(changed), problem)).not.toBe(303);
		const patched = await service.api.patch(`/containers/${row.id}/drm`, { opens: 5 });
		expect([patched.status, readRow(container).revision]).toEqual([500, 1]);
		expect(patched.body).toMatchObject({ code: 'seal_broken' });
		set(row[column]);
		await expectInOrder();
		await expectOpen(container);
	};

	it.each<[keyof ContainerRow, string | RegExp, string]>([
		['rules', '"opens":100', '"opens":999'],
		['rules', ADA, 'ben@example.com'],
		['owner_id', /^./, '-'],
		['files', 'note.txt', 'note.exe'],
		['seal', /^.{20}/, 'A'.repeat(20)],
	])(
		'Whoever changes a container in the database closes it for everybody, and check names it (%s: %s to %s)',
		async (column, from, to) => {
			const container = await create();
			const row = readRow(container);
			const changed = String(row[column]).replace(from, to);
			expect(changed).not.toBe(row[column]);
			await expectSealed(container, column, changed);
		},
	);

	it.each<[keyof ContainerRow, string]>([
		['sender', ADA],
		['request_id', '0c4a4f33-4f0e-4c4c-8d3b-1f5a1d3c2b11'],
	])(
		'Whoever changes in the database who sent a container, or by which request, makes it impossible to open (%s)',
		async (column, value) => await expectSealed(await create(), column, value),
	);

	it.each<[string, RegExp, (file: string) => void]>([
		['is cut off', /has 203 bytes instead of 205/, (file) => truncateSync(file, 203)],
		['is missing', /is missing/, (file) => rmSync(file)],
	])('can not be read when the file %s', async (_, problem, spoil) => {
		const container = await create();
		const visitor = service.visit(container);
		await visitor.signIn(ADA);
		await expectClosed(container, () => spoil(getFile(container)), problem);
		const { status, html } = await visitor.go(`/c/${container.uuid}?file=0`);
		expect([status, html]).toEqual([200, expect.stringContaining('is missing or damaged')]);
		await service.api.delete(`/containers/${container.uuid}`);
	});
});

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import LibSql from 'libsql';
import which from 'which';
import { checkPassword, getIdentity, openMasterKeys, openSeal } from '../src/containers/seal.mts';
import type { ContainerRow } from '../src/database/schema.mts';
import type { Container } from './support/api.mts';
import { MAIL_TIME_MS, visit } from './support/door.mts';
import { createContainer, type ContainerToCreate } from './support/encode.mts';
import { describeService, startService, usesServers, type Service } from './support/service.mts';

const ADA = 'ada@example.com';
const whereAge = which.sync('age', { nothrow: true }) ? it : it.skip;

// They change what SQLite and the folder hold.
(usesServers ? describe.skip : describeService)('what is stored', () => {
	let service: Service;
	let database: LibSql.Database;

	beforeAll(async () => {
		service = await startService();
		database = new LibSql(join(service.folder, 'service.db'));
	});

	afterAll(() => database.close());

	const create = async (container: ContainerToCreate = {}) => {
		const drm = { dynamic: true, opens: 100 };
		return await createContainer(service, {
			...{ recipients: [ADA], downloadable: true, drm, ...container },
		});
	};
	const readRow = ({ uuid }: Container) =>
		database.prepare('SELECT * FROM containers WHERE id = ?').get(uuid) as ContainerRow;
	const getFile = (container: Container) =>
		join(service.folder, 'files', readRow(container).object);
	const check = async () => await service.run(['check']);

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

	it('holds a code for whoever asks, so that no time tells who is named', async () => {
		const container = await create();
		for (const email of [ADA, 'eve@example.com']) {
			await visit(service, container).post('code', { email });
		}
		await sleep(MAIL_TIME_MS);
		const codes = database.prepare('SELECT address FROM codes WHERE container_id = ?');
		expect(codes.all(container.uuid)).toHaveLength(2);
	});

	it('holds no key of a container that was deleted', async () => {
		const container = await create();
		const { seal } = readRow(container);
		expect((await service.readEverythingStored()).includes(seal)).toBe(true);
		await service.api.delete(`/containers/${container.uuid}`);
		expect((await service.readEverythingStored()).includes(seal)).toBe(false);
	});

	/** Expects that nobody reads a container any more, and that `check` says why. */
	const expectClosed = async (container: Container, spoil: () => unknown, problem: RegExp) => {
		const [inside, outside] = [visit(service, container), visit(service, container)];
		expect((await inside.signIn(ADA)).status).toBe(303);
		const read = async () => await inside.getFile(0).then(({ bytes }) => bytes.toString());
		expect(await read()).toBe('Hello');
		const code = await outside.requestCode(ADA);
		spoil();
		expect(await read().catch(() => 'broken off')).not.toContain('Hello');
		const { status, page } = await outside.signIn(ADA, code);
		expect(page.html).not.toContain('Hello');
		expect(await check()).toMatchObject({ code: 1, stdout: expect.stringMatching(problem) });
		return status;
	};

	const replace = (column: keyof ContainerRow, from: string | RegExp, to: string) => ({
		...{ column, to },
		toChanged: (row: ContainerRow) => String(row[column]).replace(from, to),
	});
	it.each([
		replace('rules', '"opens":100', '"opens":999'),
		replace('rules', ADA, 'ben@example.com'),
		replace('owner_id', /^./, '-'),
		replace('files', 'note.txt', 'note.exe'),
		replace('files', 'false', 'true'),
		replace('seal', /^.{20}/, 'A'.repeat(20)),
	])('can not be opened when somebody changed $column (to $to)', async ({ column, toChanged }) => {
		const container = await create();
		const row = readRow(container);
		const update = database.prepare(`UPDATE containers SET ${column} = ? WHERE id = ?`);
		const set = (value: unknown) => update.run([value, row.id]);
		expect(toChanged(row)).not.toBe(row[column]);
		const problem = /its rules, owner or files were changed outside of the service/;
		expect(await expectClosed(container, () => set(toChanged(row)), problem)).not.toBe(303);
		const patched = await service.api.patch(`/containers/${row.id}/drm`, { opens: 5 });
		expect([patched.status, readRow(container).revision]).toEqual([500, 1]);
		expect(patched.body).toMatchObject({ code: 'seal_broken' });
		// As it was, it opens again: nothing of it was lost.
		set(row[column]);
		expect((await check()).code).toBe(0);
		expect((await visit(service, container).signIn(ADA)).status).toBe(303);
	});

	it.each<[string, RegExp, (file: string) => void]>([
		['is cut off', /has 203 bytes instead of 205/, (file) => truncateSync(file, 203)],
		['is empty', /has 0 bytes instead of 205/, (file) => truncateSync(file)],
		['is missing', /is missing/, (file) => rmSync(file)],
	])('can not be read when the file %s', async (_, problem, spoil) => {
		const container = await create();
		await expectClosed(container, () => spoil(getFile(container)), problem);
		await service.api.delete(`/containers/${container.uuid}`);
	});

	it('can not be read when a byte of the file was changed', async () => {
		const container = await create({ files: { 'a.bin': randomBytes(100_000) } });
		const visitor = visit(service, container);
		await visitor.signIn(ADA);
		const bytes = readFileSync(getFile(container));
		bytes[bytes.length - 20_000] ^= 1;
		writeFileSync(getFile(container), bytes);
		await expect(visitor.getFile(0, { download: true })).rejects.toThrow();
		expect((await service.api.get('/me')).status).toBe(200);
	});
});

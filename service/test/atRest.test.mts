import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import LibSql from 'libsql';
import which from 'which';
import { checkPassword, getIdentity, openMasterKeys, openSeal } from '../src/containers/seal.mts';
import type { ContainerRow } from '../src/database/schema.mts';
import type { Container } from './support/api.mts';
import { visit } from './support/door.mts';
import { createContainer, type ContainerToCreate } from './support/encode.mts';
import { describeService, startService, usesServers, type Service } from './support/service.mts';

const ADA = 'ada@example.com';
const whereAge = which.sync('age', { nothrow: true }) ? it : it.skip;

// Both change what SQLite and the folder hold. What they find is the same on PostgreSQL and S3.
(usesServers ? describe.skip : describeService)('what is stored', () => {
	let service: Service;
	let database: LibSql.Database;

	beforeAll(async () => {
		service = await startService();
		database = new LibSql(join(service.folder, 'service.db'));
	});

	afterAll(() => database.close());

	const create = async (container: ContainerToCreate = {}) =>
		await createContainer(service, {
			...{ recipients: [ADA], downloadable: true, drm: { dynamic: true, opens: 100 } },
			...container,
		});
	const readRow = ({ uuid }: Container) =>
		database.prepare('SELECT * FROM containers WHERE id = ?').get(uuid) as ContainerRow;
	const getFile = (container: Container) =>
		join(service.folder, 'files', readRow(container).object);

	const getIdentityOf = async (container: Container, password = '') => {
		const keys = openMasterKeys({ folder: service.folder });
		const { secret } = openSeal(keys, readRow(container));
		const key = await checkPassword(container.uuid, secret, password);
		return getIdentity(container.uuid, secret, key || undefined);
	};

	whereAge.each([undefined, 'correct horse'])(
		'is read by age with the identity (password: %s)',
		async (password) => {
			const [one, other] = [randomBytes(200_000), randomBytes(65_536)];
			const files = { 'one.bin': one, 'empty.txt': '', 'other.bin': other };
			const container = await create({ password, files });
			const identity = await getIdentityOf(container, password);
			const identityFile = join(service.folder, 'identity.txt');
			writeFileSync(identityFile, `${identity}\n`);
			const output = execFileSync('age', ['-d', '-i', identityFile, getFile(container)]);
			expect(output.equals(Buffer.concat([one, other]))).toBe(true);
			expect(await getIdentityOf(container, 'wrong')).toBe(password ? undefined : identity);
		},
	);

	it('holds no key of a container that was deleted', async () => {
		const container = await create();
		const { seal } = readRow(container);
		expect((await service.readEverythingStored()).includes(seal)).toBe(true);
		await service.api.delete(`/containers/${container.uuid}`);
		// SQLite's log holds what was written since the last checkpoint.
		database.prepare('pragma wal_checkpoint(TRUNCATE)').all();
		expect((await service.readEverythingStored()).includes(seal)).toBe(false);
	});

	/** Expects that nobody can open a container or change its rules, and that `check` says why. */
	const expectClosed = async (container: Container, spoil: () => unknown, problem: RegExp) => {
		const [inside, outside] = [visit(service, container), visit(service, container)];
		expect((await inside.signIn(ADA)).status).toBe(303);
		expect((await inside.getFile(0)).bytes.toString()).toBe('Hello');
		const code = await outside.requestCode(ADA);
		spoil();
		const read = inside.getFile(0).then(({ status, bytes }) => [status, bytes.toString()]);
		expect(await read.catch(() => 'broken off')).not.toEqual([200, 'Hello']);
		const signedIn = await outside.signIn(ADA, code);
		const shown = await outside.getFile(0).catch(() => undefined);
		expect(shown?.bytes.toString()).not.toBe('Hello');
		const check = await service.run(['check']);
		expect([check.code, check.stdout]).toEqual([1, expect.stringMatching(problem)]);
		expect(check.stdout).toContain(container.uuid);
		return { signedIn };
	};

	const toBen = (text: string) => text.replaceAll(ADA, 'ben@example.com');
	it.each<[keyof ContainerRow, string, (row: ContainerRow) => string]>([
		['rules', 'the number of openings', ({ rules }) => rules.replace('"opens":100', '"opens":999')],
		['rules', 'the recipients', ({ rules }) => toBen(rules)],
		[
			'owner_id',
			'the owner',
			() => service.userId.replace(/.$/, (end) => (end === '0' ? '1' : '0')),
		],
		['files', 'the name of a file', ({ files }) => files.replace('note.txt', 'note.exe')],
		['files', 'what is hidden', ({ files }) => files.replace('false', 'true')],
		[
			'seal',
			'the seal by another',
			() => (database.prepare('SELECT seal FROM containers').get() as ContainerRow).seal,
		],
	])(
		'can not be opened when somebody changed %s (%s) in the database',
		async (column, _, change) => {
			const container = await create();
			const row = readRow(container);
			const set = (value: unknown) =>
				database.prepare(`UPDATE containers SET ${column} = ? WHERE id = ?`).run([value, row.id]);
			expect(change(row)).not.toBe(row[column]);
			const { signedIn } = await expectClosed(
				container,
				() => set(change(row)),
				/its rules, owner or files were changed outside of the service/,
			);
			expect(signedIn.status).toBeGreaterThanOrEqual(400);
			const patched = await service.api.patch(`/containers/${container.uuid}/drm`, { opens: 5 });
			expect(patched.status).toBe(500);
			expect(readRow(container)).toMatchObject({ rules: expect.not.stringContaining('"opens":5') });
			// As it was, it opens again: nothing of it was lost.
			set(row[column]);
			expect((await service.run(['check'])).code).toBe(0);
			expect((await visit(service, container).signIn(ADA)).status).toBe(303);
		},
	);

	it.each<[string, RegExp, (file: string) => void]>([
		['is cut off', /has 203 bytes instead of 205/, (file) => truncateSync(file, 203)],
		['is empty', /has 0 bytes instead of 205/, (file) => truncateSync(file)],
		['is missing', /is missing/, (file) => rmSync(file)],
	])('can not be opened when the file %s', async (_, problem, spoil) => {
		const container = await create();
		const file = getFile(container);
		const bytes = readFileSync(file);
		await expectClosed(container, () => spoil(file), problem);
		writeFileSync(file, bytes);
	});

	it('can not be opened when a byte of the file was changed', async () => {
		const container = await create({ files: { 'a.bin': randomBytes(100_000) } });
		const visitor = visit(service, container);
		await visitor.signIn(ADA);
		const file = getFile(container);
		const bytes = readFileSync(file);
		bytes[bytes.length - 20_000] ^= 1;
		writeFileSync(file, bytes);
		const read = visitor.getFile(0, { download: true });
		await expect(read.then(({ status }) => status === 200 || status)).rejects.toThrow();
		expect((await visit(service, await create()).signIn(ADA)).status).toBe(303);
	});
});

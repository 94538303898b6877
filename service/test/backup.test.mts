import { randomBytes } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMasterKey } from '../src/containers/masterKeys.mts';
import { createContainer, type Container, type ServiceEvent } from './support/api.mts';
import { createFolder, describeService, runService, startService } from './support/service.mts';
import { times, usesServers, type Service } from './support/service.mts';

const ADA = 'ada@example.com';
const rules = { recipients: [ADA], downloadable: true };
const restore = async (DATA_DIR: string, backup: string) =>
	await runService(['restore', backup], { DATA_DIR });

(usesServers ? describe.skip : describeService)('backup and restore', () => {
	let service: Service;
	let folder: string;
	/** A new folder for each backup, and a data folder for each restored one. */
	let backup: string;
	let data: string;

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
	});
	beforeEach(() => {
		folder = createFolder();
		backup = join(folder, 'backup');
		data = join(folder, 'data');
	});

	const moveKey = () => {
		mkdirSync(data);
		copyFileSync(join(service.folder, 'master.key'), join(data, 'master.key'));
	};
	const listEvents = async ({ api, userId }: Pick<Service, 'api' | 'userId'>) =>
		await api.getAll<ServiceEvent>(`/users/${userId}/events`);

	it('brings all containers to another place, and no key, no mail and no certificate', async () => {
		const content = randomBytes(300_000);
		const plain = await createContainer(service, { ...rules, files: { 'a.bin': content } });
		const locked = await createContainer(service, { ...rules, password: 'correct' });
		await service.visit(plain).requestCode(ADA);
		const { code, stdout } = await service.run(['backup', backup]);
		expect([code, stdout]).toEqual([0, expect.stringContaining('2 containers copied')]);
		expect(readdirSync(backup).sort()).toEqual(['files', 'service.db']);
		expect(statSync(join(backup, 'service.db')).mode & 0o777).toBe(0o600);
		expect(statSync(backup).mode & 0o777).toBe(0o700);
		const { secret } = parseMasterKey(
			readFileSync(join(service.folder, 'master.key'), 'utf8').trim(),
		)!;
		expect(readFileSync(join(backup, 'service.db')).includes(secret)).toBe(false);

		moveKey();
		expect(await restore(data, backup)).toMatchObject({ code: 0, stderr: '' });
		const events = await listEvents(service);
		const elsewhere = await startService({
			env: { DATA_DIR: data, OWNER_EMAIL: 'olive@example.com', API_KEY: service.apiKey },
		});
		const read = async ({ uuid }: Container, password?: string) => {
			const visitor = elsewhere.visit({ uuid });
			await visitor.signIn(ADA);
			if (password) await visitor.enterPassword(password);
			return (await visitor.getFile(0, { download: true })).bytes;
		};
		expect((await read(plain)).equals(content)).toBe(true);
		expect((await read(locked, 'correct')).toString()).toBe('Hello');
		expect(await elsewhere.run(['check', '--read'])).toMatchObject({ code: 0 });
		const later = (await listEvents(elsewhere)).slice(events.length);
		const opened = later.filter(({ action }) => action === 'container.open');
		expect(opened).toHaveLength(2);
		expect(Number(later[0].id)).toBeGreaterThan(Number(events.at(-1)!.id) + 1_000_000);
	});

	it('is consistent while containers are created and deleted', async () => {
		const created = await Promise.all(times(40, async () => await createContainer(service, rules)));
		const [backedUp] = await Promise.all([
			service.run(['backup', backup]),
			...created.map(async ({ uuid }) => await service.api.delete(`/containers/${uuid}`)),
			...times(10, async () => await createContainer(service, rules)),
		]);
		expect(backedUp).toMatchObject({ code: 0, stderr: '' });
		moveKey();
		expect((await restore(data, backup)).code).toBe(0);
		expect(await runService(['check', '--read'], { DATA_DIR: data })).toMatchObject({ code: 0 });
	});

	it('names a container whose file is missing, and copies the others', async () => {
		const container = await createContainer(service, rules);
		await createContainer(service, rules);
		const files = service.listFiles();
		const before = new Set(files);
		const spoiled = await createContainer(service, rules);
		rmSync(service.listFiles().find((path) => !before.has(path))!);
		const { code, stdout } = await service.run(['backup', backup]);
		expect([code, stdout]).toEqual([1, expect.stringContaining(spoiled.uuid)]);
		expect(stdout).not.toContain(container.uuid);
		expect(readdirSync(join(backup, 'files'))).toHaveLength(files.length);
		await service.api.delete(`/containers/${spoiled.uuid}`);
	});

	it('removes no file that only the place has to which it restores', async () => {
		await createContainer(service, rules);
		await service.run(['backup', backup]);
		moveKey();
		cpSync(join(backup, 'files'), join(data, 'files'), { recursive: true });
		rmSync(join(backup, 'files'), { recursive: true });
		expect((await restore(data, backup)).code).toBe(1);
		expect(await runService(['check', '--read'], { DATA_DIR: data })).toMatchObject({ code: 0 });
	});

	it('needs the master key, which it names, before anything is restored', async () => {
		await createContainer(service, rules);
		await service.run(['backup', backup]);
		const { id } = parseMasterKey(readFileSync(join(service.folder, 'master.key'), 'utf8').trim())!;
		const { code, stderr } = await restore(data, backup);
		expect([code, stderr]).toEqual([2, expect.stringContaining(`its ID must be ${id}`)]);
		expect(existsSync(join(data, 'service.db')) || existsSync(join(data, 'files'))).toBe(false);
		writeFileSync(join(data, 'master.key'), readFileSync(join(service.folder, 'master.key')));
		expect((await restore(data, backup)).code).toBe(0);
	});

	it('overwrites nothing, and takes nothing for a backup that is none', async () => {
		await service.run(['backup', backup]);
		const again = await service.run(['backup', backup]);
		expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("isn't empty")]);
		const full = await restore(service.folder, backup);
		expect([full.code, full.stderr]).toEqual([2, expect.stringContaining('has data already')]);
		rmSync(join(backup, 'service.db'));
		const none = await restore(data, backup);
		expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no complete backup')]);
	});
});

(usesServers ? describeService : describe.skip)('backup with PostgreSQL', () => {
	it('goes on with later IDs of events once pg_restore has put the database back', async () => {
		const service = await startService();
		await createContainer(service);
		const listEvents = async () =>
			await service.api.getAll<ServiceEvent>(`/users/${service.userId}/events`);
		const before = (await listEvents()).at(-1)!;
		expect(await service.run(['restore'])).toMatchObject({ code: 0, stderr: '' });
		await createContainer(service);
		const after = (await listEvents()).at(-1)!;
		expect(Number(after.id)).toBeGreaterThan(Number(before.id) + 1_000_000);
		expect(await service.run(['check'])).toMatchObject({ code: 0 });
	});

	it('is left to pg_dump, which it names', async () => {
		const service = await startService();
		for (const [command, tool] of [
			['backup', 'pg_dump'],
			['restore', 'pg_restore'],
		]) {
			const { code, stderr } = await service.run([command, createFolder()]);
			expect([code, stderr]).toEqual([2, expect.stringContaining(tool)]);
		}
	});
});

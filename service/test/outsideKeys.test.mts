import { randomBytes } from 'node:crypto';
import {
	copyFileSync,
	existsSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseMasterKey } from '../src/containers/masterKeys.mts';
import { createContainer } from './support/api.mts';
import { createFolder, describeService, runService } from './support/service.mts';
import { startService, usesServers } from './support/service.mts';

const ADA = 'ada@example.com';
const createKey = () => randomBytes(32).toString('base64');

(usesServers ? describe.skip : describeService)('a master key outside the data folder', () => {
	it.each([
		['MASTER_KEY_FILE', (file: string) => file],
		['MASTER_KEY_COMMAND', (file: string) => `cat '${file}'`],
	])(
		'%s: no key is in the folder, the first line seals, and rotate only seals',
		async (name, to) => {
			const file = join(createFolder(), 'keys');
			const [old, current] = [createKey(), createKey()];
			writeFileSync(file, `\n${old}\n`);
			const service = await startService({ env: { [name]: to(file) } });
			const container = await createContainer(service, { recipients: [ADA] });
			const tooEarly = await service.run(['master-key', 'rotate']);
			expect([tooEarly.code, tooEarly.stderr]).toEqual([2, expect.stringContaining(name)]);
			expect(tooEarly.stderr).toContain('Stop all processes and start them again');

			writeFileSync(file, `${current}\n${old}\n`);
			await service.restart();
			const { code, stdout } = await service.run(['master-key', 'rotate']);
			expect([code, stdout]).toEqual([0, expect.stringContaining('1 container sealed')]);
			const { id } = parseMasterKey(old)!;
			const retired = await service.run(['master-key', 'retire', id]);
			expect(retired.stdout).toContain(`take it out of ${name}`);
			expect(readFileSync(file, 'utf8')).toBe(`${current}\n${old}\n`);

			writeFileSync(file, current);
			await service.restart();
			expect((await service.visit(container).signIn(ADA)).status).toBe(303);
			expect(existsSync(join(service.folder, 'master.key'))).toBe(false);
			const stored = await service.readEverythingStored();
			for (const key of [old, current]) {
				expect(stored.includes(key)).toBe(false);
				expect(stored.includes(Buffer.from(key, 'base64'))).toBe(false);
			}
			writeFileSync(file, createKey());
			const needed = parseMasterKey(current)!.id;
			const message = `${name} isn't the key of the containers: its ID must be ${needed}.\n`;
			expect(await service.run(['check'])).toMatchObject({ code: 2, stderr: message });
		},
		// It starts ten processes, one after the other.
		400_000,
	);

	it('and not in the data folder either is called missing', async () => {
		const service = await startService();
		await createContainer(service);
		const file = join(service.folder, 'master.key');
		const { id } = parseMasterKey(readFileSync(file, 'utf8').trim())!;
		await service.stop();
		rmSync(file);
		expect(await service.run([])).toMatchObject({
			code: 2,
			stderr: `${file} is missing. Put back the master key of the containers: its ID must be ${id}.\n`,
		});
	});

	it('that is still in the data folder, too, is no new one', async () => {
		const service = await startService();
		await createContainer(service);
		const MASTER_KEY_FILE = join(createFolder(), 'keys');
		copyFileSync(join(service.folder, 'master.key'), MASTER_KEY_FILE);
		const env = { DATA_DIR: service.folder, MASTER_KEY_FILE };
		const { code, stdout, stderr } = await runService(['master-key', 'rotate'], env);
		expect([code, stdout]).toEqual([2, '']);
		expect(stderr).toMatch(/^There is no new master key\. Put a new key on a line before/);
	});

	it('that a process was not started with: it says which one is missing, not that somebody changed something', async () => {
		const file = join(createFolder(), 'keys');
		const [old, current] = [createKey(), createKey()];
		writeFileSync(file, old);
		const service = await startService({ env: { MASTER_KEY_FILE: file } });
		const { uuid } = await createContainer(service);
		writeFileSync(file, `${current}\n${old}\n`);
		expect((await service.run(['master-key', 'rotate'])).code).toBe(0);
		const { status, body } = await service.api.get(`/containers/${uuid}/drm`);
		const message = expect.stringContaining(parseMasterKey(current)!.id);
		// As /readyz says: another process may have it.
		expect([status, body]).toEqual([503, { code: 'master_key_missing', message }]);
		await service.restart();
		expect((await service.api.get(`/containers/${uuid}/drm`)).status).toBe(200);
	});

	it.each([
		['fails', 'echo SECRET; echo SECRET >&2; exit 3'],
		['prints something else', `echo ${createKey()}; echo SECRET`],
		['prints nothing', 'true'],
		['is missing', '/missing/command SECRET'],
		['takes too long', `echo ${createKey()}; sleep 60; true SECRET`],
	])(
		'MASTER_KEY_COMMAND that %s: the service says so, without a word of its output',
		async (_, command) => {
			const DATA_DIR = createFolder();
			const { code, stdout, stderr } = await runService([], {
				DATA_DIR,
				MASTER_KEY_COMMAND: command,
			});
			expect([code, stdout]).toEqual([2, '']);
			expect(stderr).toMatch(
				/^MASTER_KEY_COMMAND must be a command that ends well within ten seconds/,
			);
			expect(stderr).not.toContain('SECRET');
			expect(readdirSync(DATA_DIR)).toEqual([]);
		},
	);

	it('comes from one place', async () => {
		const env = { MASTER_KEY: createKey(), MASTER_KEY_COMMAND: `echo ${createKey()}` };
		const { code, stderr } = await runService([], { DATA_DIR: createFolder(), ...env });
		expect([code, stderr]).toEqual([2, 'Set MASTER_KEY or MASTER_KEY_COMMAND, not both.\n']);
	});
});

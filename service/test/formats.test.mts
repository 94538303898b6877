import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { decryptAgeFile } from '../src/containers/ageFile.mts';
import { checkPassword, getIdentity, openMasterKeys, openSeal } from '../src/containers/seal.mts';
import sealed from './fixtures/sealed2026.json';

const PASSWORD = 'Grüße 2026';
let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'formats-'));
	// A key that came later is before it.
	writeFileSync(join(folder, 'master.key'), `${'A'.repeat(43)}=\n${sealed.masterKey}\n`);
});
afterAll(async () => await rm(folder, { recursive: true }));

// Files of the first version, which every later one opens. They are never written again.
it.each(sealed.containers.map((row) => [row.rules, row] as const))(
	'a container of 2026 opens: %s',
	async (_rules, { object, ...row }) => {
		const { rules, files, secret } = openSeal(openMasterKeys(join(folder, 'master.key'), {}), row);
		expect([rules.dynamic, rules.opens]).toEqual(rules.dynamic ? [true, 5] : [false, undefined]);
		expect(files.map(({ name, hidden }) => [name, hidden])).toEqual([
			['Grüße.txt', false],
			['b.bin', true],
		]);
		const isLocked = !('identity' in secret);
		expect(isLocked).toBe(!rules.dynamic);
		// Another Unicode form of the same password.
		const key = await checkPassword(row.id, secret, PASSWORD.normalize('NFD'));
		const identity = getIdentity(row.id, secret, isLocked ? key : undefined)!;
		const bytes = Buffer.from(object, 'base64');
		const content = decryptAgeFile({
			read: async ({ start, end }) =>
				(async function* () {
					yield bytes.subarray(start, end);
				})(),
			...{ identity, size: row.size, range: { start: 0, end: row.size } },
		});
		expect((await buffer(content)).toString()).toBe('Hello Ada0123456789');
	},
);

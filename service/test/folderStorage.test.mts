import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFolderStorage } from '../src/storage/folderStorage.mts';

const folder = mkdtempSync(join(tmpdir(), 'service-test-storage-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function* breakOff() {
	yield await Promise.reject<Buffer>(new Error('broken'));
}

it('a write that breaks off has created its file when it ends: removed then, it stays away', async () => {
	const storage = await openFolderStorage(folder);
	for (let n = 0; n < 20; n++) {
		await expect(storage.write(`file-${n}`, breakOff())).rejects.toThrow('broken');
		expect(existsSync(join(folder, `file-${n}`))).toBe(true);
		await storage.remove(`file-${n}`);
	}
	expect(readdirSync(folder)).toEqual([]);
});

import { createHash, randomBytes } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const BLOCK = 1024 * 1024;

/** Writes a file of this size that can't be compressed. */
export async function writeRandomFile(path: string, size: number) {
	const hash = createHash('sha256');
	const file = await open(path, 'w');
	for (let written = 0; written < size; written += BLOCK) {
		const block = randomBytes(Math.min(BLOCK, size - written));
		hash.update(block);
		await file.appendFile(block);
	}
	await file.close();
	return { path, size, sha256: hash.digest('hex') };
}

/** Creates contacts such as those of a CRM. */
export const createContacts = (count: number) =>
	Array.from({ length: count }, (_, index) => ({
		email: `person-${index}@example.com`,
		first_name: `First${index}`,
		last_name: `Last${index}`,
		company: `Company ${index % 97}`,
		phone_number: `+41 44 ${100_000 + index}`,
	}));

/** Writes contacts to a CSV file, such as an export of a CRM, and returns its path. */
export async function writeContacts(folder: string, name: string, count: number): Promise<string> {
	const contacts = createContacts(count);
	const rows = [Object.keys(contacts[0]), ...contacts.map((contact) => Object.values(contact))];
	const path = join(folder, `${name}.csv`);
	await writeFile(path, rows.map((row) => row.join(',')).join('\n'));
	return path;
}

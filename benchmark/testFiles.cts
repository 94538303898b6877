import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeRandomFile } from '../tools/randomFile.cts';

/** Creates a folder with this number of files of the same size. */
export async function writeRandomFiles(folder: string, count: number, size: number): Promise<void> {
	await mkdir(folder, { recursive: true });
	for (let index = 0; index < count; index += 1) {
		await writeRandomFile(join(folder, `file-${String(index).padStart(4, '0')}.bin`), size);
	}
}

/** Writes the manifest that the HTTP Request node and curl send. */
export async function writeManifest(path: string): Promise<void> {
	const container = { name: 'Benchmark', recipients: ['anna@example.com'], downloadable: true };
	await writeFile(path, JSON.stringify({ container }));
}

/** Creates contacts such as those of a CRM. */
export function createContacts(count: number) {
	return Array.from({ length: count }, (_, index) => ({
		email: `person-${index}@example.com`,
		first_name: `First${index}`,
		last_name: `Last${index}`,
		company: `Company ${index % 97}`,
		phone_number: `+41 44 ${100_000 + index}`,
	}));
}

/** Writes contacts to a CSV file, such as an export of a CRM. */
export async function writeContacts(path: string, count: number): Promise<void> {
	const contacts = createContacts(count);
	const rows = [Object.keys(contacts[0]), ...contacts.map((contact) => Object.values(contact))];
	await writeFile(path, rows.map((row) => row.join(',')).join('\n'));
}

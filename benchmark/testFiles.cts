import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

const BLOCK = 1024 * 1024;

/** Writes a file of so many bytes that no compression makes smaller. */
export async function writeRandomFile(path: string, size: number): Promise<void> {
	const output = createWriteStream(path);
	const block = randomBytes(BLOCK);
	for (let written = 0; written < size; written += BLOCK) {
		block.writeUInt32LE(written / BLOCK);
		const piece = Buffer.from(block.subarray(0, Math.min(BLOCK, size - written)));
		if (!output.write(piece)) await once(output, 'drain');
	}
	output.end();
	await finished(output);
}

/** Makes a folder with so many files of the same size. */
export async function writeRandomFiles(folder: string, count: number, size: number): Promise<void> {
	await mkdir(folder, { recursive: true });
	for (let index = 0; index < count; index += 1) {
		await writeRandomFile(join(folder, `file-${String(index).padStart(4, '0')}.bin`), size);
	}
}

/** Writes the manifest (service-api.md, Manifest) that the HTTP Request node and curl send. */
export async function writeManifest(path: string): Promise<void> {
	const container = { name: 'Benchmark', recipients: ['anna@example.com'], downloadable: true };
	await writeFile(path, JSON.stringify({ container }));
}

/** Writes contacts as a CRM exports them, one a line. */
export async function writeContacts(path: string, count: number): Promise<void> {
	const lines = Array.from(
		{ length: count },
		(_, index) =>
			`person-${index}@example.com,First${index},Last${index},Company ${index % 97},+41 44 ${100_000 + index}`,
	);
	await writeFile(path, ['email,first_name,last_name,company,phone_number', ...lines].join('\n'));
}

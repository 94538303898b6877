import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import packageJson from '../../package.json';
import { projectRoot } from '../../tools/paths.cts';

const security = readFileSync(join(projectRoot, 'SECURITY.md'), 'utf8');

describe('SECURITY.md', () => {
	const rows = security
		.split('\n')
		.filter((line) => /^\| (?!Who, |-)/.test(line))
		.map((line) => line.split(/ +\| +/));

	it('names the test of each promise', () => {
		expect(rows.length).toBeGreaterThan(10);
		expect(
			rows.flatMap((cells) => {
				const files = [...(cells[2] ?? '').matchAll(/\]\((.+?)\)/g)].map(([, file]) => file);
				const isTest = (file: string) => /^test\/.+\.test\.cts$/.test(file);
				const missing = files.filter(
					(file) => !isTest(file) || !existsSync(join(projectRoot, file)),
				);
				if (files.length === 0) return [`No test is named for: ${cells[0]}`];
				return missing.map((file) => `${file} is no test, but named for: ${cells[0]}`);
			}),
		).toEqual([]);
	});

	it('can be read at once', () => {
		expect(security.split('\n').length).toBeLessThanOrEqual(100);
	});
});

describe('the package', () => {
	it('has no runtime dependencies', () => {
		expect(packageJson).not.toHaveProperty('dependencies');
		expect(packageJson).not.toHaveProperty('optionalDependencies');
		expect(packageJson).not.toHaveProperty('bundledDependencies');
	});

	it('imports nothing but n8n-workflow and crypto', async () => {
		const files = await Promise.all(['nodes', 'credentials'].map(listSources));
		const imported = files.flat().flatMap((file) => {
			const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
			return importedFiles.map(({ fileName }) => fileName).filter((name) => !name.startsWith('.'));
		});
		expect([...new Set(imported)].sort()).toEqual(['crypto', 'n8n-workflow']);
	});
});

async function listSources(folder: string): Promise<string[]> {
	const path = join(projectRoot, folder);
	const files = await readdir(path, { recursive: true });
	return files.filter((file) => file.endsWith('.ts')).map((file) => join(path, file));
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';

// Compiles the service when a file that it is built from is newer than the last build.

const folder = import.meta.dirname;
const contract = join(folder, '../docs/openapi.yaml');
const dist = join(folder, 'dist');
const stamp = join(dist, 'built');

const sources = readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true })
	.filter((entry) => entry.isFile())
	.map((entry) => join(entry.parentPath, entry.name));
const inputs = [
	...sources,
	contract,
	...['tsconfig.json', 'package.json', 'build.mjs'].map((name) => join(folder, name)),
];
const newest = Math.max(...inputs.map((file) => statSync(file).mtimeMs));

if ((statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0) < newest) {
	rmSync(dist, { recursive: true, force: true });
	const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
	execFileSync(process.execPath, [compiler, '--project', folder], { stdio: 'inherit' });
	mkdirSync(dist, { recursive: true });
	writeFileSync(join(dist, 'openapi.json'), JSON.stringify(parse(readFileSync(contract, 'utf8'))));
	writeFileSync(stamp, '');
}

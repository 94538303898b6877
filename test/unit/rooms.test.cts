import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import packageJson from '../../package.json';
import { projectRoot as root } from '../../tools/project.cts';

const run = promisify(execFile);

interface CruiseResult {
	modules: Array<{ source: string; dependencies: Array<{ resolved: string }> }>;
	summary: {
		totalCruised: number;
		violations: Array<{ rule: { name: string }; from: string; to: string }>;
	};
}

interface PackResult {
	files: Array<{ path: string }>;
	bundled: string[];
}

/** The fields of package.json that let npm install or pack other packages. */
const DEPENDENCIES = /^(dependencies|optionalDependencies|bundle(d)?Dependencies)$/;

async function cruise(): Promise<CruiseResult> {
	const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
	const config = join(__dirname, 'support/rooms.cjs');
	// It exits with the number of violations, which the test reports by name.
	const folders = ['nodes', 'credentials', 'service/src', 'service/test'];
	const { stdout } = await run(
		process.execPath,
		[program, ...folders, '--config', config, '--output-type', 'json'],
		{ cwd: root, maxBuffer: 100_000_000 },
	).catch((error: { stdout: string }) => error);
	return JSON.parse(stdout) as CruiseResult;
}

/** All files that a file imports, directly or not. */
function getImports({ modules }: CruiseResult, entry: string): Set<string> {
	const bySource = new Map(modules.map((module) => [module.source, module]));
	const found = new Set<string>();
	const open = [entry];
	for (let source = open.pop(); source !== undefined; source = open.pop()) {
		if (found.has(source)) continue;
		found.add(source);
		open.push(...(bySource.get(source)?.dependencies ?? []).map(({ resolved }) => resolved));
	}
	return found;
}

let result: CruiseResult;
/** The files that are published, and those of the service. */
let sources: string[];
let serviceSources: string[];

beforeAll(async () => {
	result = await cruise();
	const all = result.modules.map(({ source }) => source);
	sources = all.filter((source) => !source.startsWith('service/'));
	serviceSources = all.filter((source) => source.startsWith('service/src/'));
}, 60_000);

it('files import one way, without a circle, and nothing of the package and the service each other', () => {
	expect(sources.length).toBeGreaterThan(50);
	expect(serviceSources.length).toBeGreaterThan(20);
	expect(
		result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
	).toEqual([]);
});

describe('the files of the package', () => {
	it('are all in use, and those that are shared by both nodes, or by one and the credential', () => {
		const entries = sources.filter((source) => /\.(node|credentials)\.ts$/.test(source));
		const users = entries.map((entry) => getImports(result, entry));
		const countUsers = (source: string) => users.filter((imports) => imports.has(source)).length;

		expect(users).toHaveLength(3);
		expect(sources.filter((source) => countUsers(source) === 0)).toEqual([]);
		const shared = sources.filter((source) => source.startsWith('nodes/shared/'));
		expect(shared.length).toBeGreaterThan(10);
		expect(shared.filter((source) => countUsers(source) < 2)).toEqual([]);
	});

	it('need nothing but n8n-workflow and crypto', () => {
		const imported = sources
			.map((source) => ts.preProcessFile(readFileSync(join(root, source), 'utf8'), true, true))
			.flatMap(({ importedFiles }) => importedFiles.map(({ fileName }) => fileName))
			.filter((name) => !name.startsWith('.'));

		expect([...new Set(imported)].sort()).toEqual(['crypto', 'n8n-workflow']);
		expect(Object.keys(packageJson).filter((key) => DEPENDENCIES.test(key))).toEqual([]);
	});

	it('are packed without the service and all else of the repository', async () => {
		const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
		const { stdout } = await run('npm', args, { cwd: root, shell: process.platform === 'win32' });
		const [{ files, bundled }] = JSON.parse(stdout) as PackResult[];
		const isBuilt = (path: string) => /^dist\/(nodes|credentials|icons)\//.test(path);
		const others = files.map(({ path }) => path).filter((path) => !isBuilt(path));

		expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
		expect(bundled).toEqual([]);
	});
});

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import packageJson from '../../package.json';
import servicePackageJson from '../../service/package.json';
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

/** The paths that npm would publish. */
async function listPacked(...args: string[]) {
	const all = ['pack', '--dry-run', '--json', '--ignore-scripts', ...args];
	const { stdout } = await run('npm', all, { cwd: root, shell: process.platform === 'win32' });
	const [{ files, bundled }] = JSON.parse(stdout) as PackResult[];
	return { paths: files.map(({ path }) => path).sort(), bundled };
}

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
		const { paths, bundled } = await listPacked();
		const isBuilt = (path: string) => /^dist\/(nodes|credentials|icons)\//.test(path);

		expect(paths.filter((path) => !isBuilt(path))).toEqual([
			'LICENSE',
			'README.md',
			'package.json',
		]);
		expect(bundled).toEqual([]);
	});
});

describe('the package of the service', () => {
	it('has the version of the nodes, and what it imports as dependencies', () => {
		const { version, license, repository, engines } = packageJson;
		const imported = serviceSources
			.map((source) => ts.preProcessFile(readFileSync(join(root, source), 'utf8'), true, true))
			.flatMap(({ importedFiles }) => importedFiles.map(({ fileName }) => fileName))
			.filter((name) => !/^(\.|node:)/.test(name))
			.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0]);
		// It is read as a file.
		const countries = '@ip-location-db/geo-whois-asn-country-mmdb';
		const dependencies = Object.keys(servicePackageJson.dependencies);

		expect(servicePackageJson).toMatchObject({ version, license, engines });
		expect(servicePackageJson).not.toHaveProperty('private');
		expect(servicePackageJson.repository).toEqual({ ...repository, directory: 'service' });
		expect([...new Set([...imported, countries])].sort()).toEqual(dependencies.sort());
	});

	it('has the contract, all pages and the license, and no sources', async () => {
		const { paths } = await listPacked('--workspace', 'service');
		const pages = readdirSync(join(root, 'service/pages')).map((name) => `pages/${name}`);
		const isCompiled = (path: string) => /^dist\/.+\.mjs$/.test(path);

		expect(paths).toEqual(expect.arrayContaining(['dist/main.mjs', 'dist/openapi.json']));
		expect(paths.filter((path) => !isCompiled(path))).toEqual(
			[...['LICENSE', 'README.md', 'dist/openapi.json', 'package.json'], ...pages].sort(),
		);
	});
});

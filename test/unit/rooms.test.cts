import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '../..');
const run = promisify(execFile);

interface CruiseResult {
	modules: Array<{ source: string; dependencies: Array<{ resolved: string }> }>;
	summary: {
		totalCruised: number;
		violations: Array<{ rule: { name: string }; from: string; to: string }>;
	};
}

async function cruise(): Promise<CruiseResult> {
	const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
	const config = join(__dirname, 'support/rooms.cjs');
	// It exits with the number of violations, which the test reports by name.
	const { stdout } = await run(
		process.execPath,
		[program, 'nodes', 'credentials', '--config', config, '--output-type', 'json'],
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

describe('the rooms of nodes/', () => {
	let result: CruiseResult;

	beforeAll(async () => {
		result = await cruise();
	}, 60_000);

	it('import one way, without a circle of files or folders', () => {
		expect(result.summary.totalCruised).toBeGreaterThan(50);
		expect(
			result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
		).toEqual([]);
	});

	it('share only what both nodes or the credential use', () => {
		const users = [
			'nodes/EncryptedContainers/EncryptedContainers.node.ts',
			'nodes/EncryptedContainersTrigger/EncryptedContainersTrigger.node.ts',
			'credentials/EncryptedContainersApi.credentials.ts',
		].map((entry) => getImports(result, entry));
		const shared = result.modules
			.map(({ source }) => source)
			.filter((source) => source.startsWith('nodes/shared/'));

		expect(shared.length).toBeGreaterThan(10);
		expect(
			shared.filter((source) => users.filter((imports) => imports.has(source)).length < 2),
		).toEqual([]);
	});

	it('hold no file that nothing imports', () => {
		const entries = result.modules
			.map(({ source }) => source)
			.filter((source) => /\.(node|credentials)\.ts$/.test(source));
		const used = new Set(entries.flatMap((entry) => [...getImports(result, entry)]));

		expect(
			result.modules.map(({ source }) => source).filter((source) => !used.has(source)),
		).toEqual([]);
	});
});

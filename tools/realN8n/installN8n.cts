import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { runCommand } from '../command.cts';
import { inheritedEnvironment } from '../inheritedEnvironment.cts';
import { installManifest, installOnce } from '../installOnce.cts';
import { npmRebuild, packageFolder } from '../npm.cts';
import type { Progress, SetDetail } from '../progress.cts';
import type { N8nVersion } from './versions.cts';

export interface InstalledN8n {
	version: N8nVersion;
	/** Path of the Node.js that runs it. */
	node: string;
	/** Path of n8n's command line program. */
	program: string;
}

const APP = 'app';
const NODE = 'node';
const nodeProgram = process.platform === 'win32' ? 'node.exe' : 'node';

/** Installs a pinned n8n, and the Node.js that it needs, in the cache folder. */
export async function installN8n(version: N8nVersion, progress: Progress): Promise<InstalledN8n> {
	const { manifest, nodeManifest, number } = version;
	const installation = {
		title: `n8n ${number}`,
		folder: version.folder,
		manifests: nodeManifest === undefined ? [manifest] : [manifest, nodeManifest],
		async install(folder: string) {
			const app = join(folder, APP);
			const log = join(folder, 'install.log');
			if (nodeManifest !== undefined) {
				await progress.step('Installing the Node.js version for n8n', async (setDetail) => {
					await installNode(nodeManifest, join(folder, NODE), log, setDetail);
				});
			}
			const title = `Installing n8n ${number} (once; some minutes, about 2 GB)`;
			await progress.step(title, async (setDetail) => {
				await installManifest(manifest, app, log, setDetail);
			});
			await progress.step('Building its database driver', async () => {
				await npmRebuild(app, 'sqlite3', log);
			});
			await progress.step('Checking the installation', async () => {
				await checkInstallation(locateN8n(folder, version), folder);
			});
		},
	};
	await installOnce(installation, progress);
	return locateN8n(version.folder, version);
}

/** Installs Node.js from its package for this platform or, if there is none, with its install script. */
async function installNode(
	manifest: string,
	folder: string,
	log: string,
	setDetail: SetDetail,
): Promise<void> {
	await installManifest(manifest, folder, log, setDetail);
	if (!existsSync(platformNode(folder))) await npmRebuild(folder, 'node', log);
}

function platformNode(folder: string): string {
	return join(
		packageFolder(folder, `node-${process.platform}-${process.arch}`),
		'bin',
		nodeProgram,
	);
}

function locateN8n(folder: string, version: N8nVersion): InstalledN8n {
	const fromPackage = platformNode(join(folder, NODE));
	const fromScript = join(packageFolder(join(folder, NODE), 'node'), 'bin', nodeProgram);
	const installed = existsSync(fromPackage) ? fromPackage : fromScript;
	return {
		version,
		node: version.nodeManifest === undefined ? process.execPath : installed,
		program: join(packageFolder(join(folder, APP), 'n8n'), 'bin', 'n8n'),
	};
}

/** @throws when n8n doesn't start, has another version, or lacks its database driver */
async function checkInstallation(installed: InstalledN8n, folder: string): Promise<void> {
	const { node, program, version } = installed;
	const stdout = join(folder, 'version.log');
	const env = {
		...inheritedEnvironment(),
		PATH: [dirname(node), process.env.PATH].join(delimiter),
		HOME: folder,
		...version.env,
	};
	const stderr = join(folder, 'errors.log');
	const run = async (args: string[]) =>
		await runCommand({ command: node, args, cwd: join(folder, APP), env, stdout, stderr });
	await run(['-e', 'require("sqlite3")']);
	// Loads all code of the server.
	await run([program, 'start', '--help']);
	await run([program, '--version']);
	const found = (await readFile(stdout, 'utf8')).trim().split('\n').at(-1);
	if (found !== version.number) {
		throw new Error(`n8n ${version.number} was installed, but its version is "${found}".`);
	}
}

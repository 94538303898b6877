import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { installOnce, installPins } from '../pinned.cts';
import type { Progress } from '../progress.cts';
import { runCommand } from './command.cts';
import { installedPackage, npmRebuild } from './npm.cts';
import type { N8nVersion } from './versions.cts';

export interface InstalledN8n {
	version: N8nVersion;
	/** The Node.js that runs it. */
	node: string;
	/** n8n's command line program. */
	program: string;
}

const APP = 'app';
const NODE = 'node';

/** Installs a pinned n8n, and the Node.js that it needs, below the cache folder, unless it is there. */
export async function installN8n(version: N8nVersion, progress: Progress): Promise<InstalledN8n> {
	const { nodePins } = version;
	const wanted = {
		title: `n8n ${version.number}`,
		folder: version.folder,
		pins: nodePins === undefined ? [version.pins] : [version.pins, nodePins],
		async fill(unfinished: string) {
			const app = join(unfinished, APP);
			const log = join(unfinished, 'install.log');
			if (nodePins !== undefined) {
				await progress.step('Installing the Node.js that n8n runs on', async (detail) => {
					await installNode(nodePins, join(unfinished, NODE), log, detail);
				});
			}
			const title = `Installing n8n ${version.number} (once; some minutes, about 2 GB)`;
			await progress.step(title, async (detail) => {
				await installPins(version.pins, app, log, detail);
			});
			await progress.step('Building its database driver', async () => {
				await npmRebuild(app, 'sqlite3', log);
			});
			await progress.step('Trying it', async () => {
				await tryIt(whatIsIn(unfinished, version), unfinished);
			});
		},
	};
	await installOnce(wanted, progress);
	return whatIsIn(version.folder, version);
}

/** The Node.js package for this platform where there is one; else the one that fetches it in its install script. */
async function installNode(
	pins: string,
	folder: string,
	log: string,
	detail: (text: string) => void,
): Promise<void> {
	await installPins(pins, folder, log, detail);
	if (!existsSync(platformNode(folder))) await npmRebuild(folder, 'node', log);
}

function platformNode(folder: string): string {
	return join(installedPackage(folder, `node-${process.platform}-${process.arch}`), 'bin', 'node');
}

function whatIsIn(folder: string, version: N8nVersion): InstalledN8n {
	const own = platformNode(join(folder, NODE));
	const fetched = join(installedPackage(join(folder, NODE), 'node'), 'bin', 'node');
	const brought = existsSync(own) ? own : fetched;
	return {
		version,
		node: version.nodePins === undefined ? process.execPath : brought,
		program: join(installedPackage(join(folder, APP), 'n8n'), 'bin', 'n8n'),
	};
}

/** @throws when it does not start, is another version than it should be, or lacks its database driver */
async function tryIt(installed: InstalledN8n, folder: string): Promise<void> {
	const stdout = join(folder, 'version.log');
	const run = async (args: string[]) =>
		await runCommand({
			command: installed.node,
			args,
			cwd: join(folder, APP),
			env: {
				PATH: `${dirname(installed.node)}:${process.env.PATH}`,
				HOME: folder,
				...installed.version.env,
			},
			stdout,
			stderr: join(folder, 'errors.log'),
		});
	await run(['-e', 'require("sqlite3")']);
	// Loads all of the server's code, and ends.
	await run([installed.program, 'start', '--help']);
	await run([installed.program, '--version']);
	const answer = (await readFile(stdout, 'utf8')).trim().split('\n').at(-1);
	if (answer !== installed.version.number) {
		throw new Error(
			`n8n ${installed.version.number} was installed, but it says it is "${answer}".`,
		);
	}
}

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Progress } from '../progress.cts';
import { runCommand } from './command.cts';
import { withFileLock } from './fileLock.cts';
import { installedPackage, npmCi, npmRebuild } from './npm.cts';
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
const STAMP = 'installed.json';

/**
 * Installs a pinned n8n below the cache folder, unless it is there already. All is done in a folder
 * beside it that gets its name at the very end: whatever interrupts it, the next call begins anew.
 * Two processes never install at once.
 */
export async function installN8n(version: N8nVersion, progress: Progress): Promise<InstalledN8n> {
	const stamp = await stampOf(version);
	if (!(await isInstalled(version, stamp))) {
		const waiting = (holder: number) =>
			progress.note(`Process ${holder} is installing n8n ${version.number}: waiting for it`);
		await withFileLock(`${version.folder}.lock`, waiting, async () => {
			if (!(await isInstalled(version, stamp))) await install(version, stamp, progress);
		});
	}
	return whatIsIn(version.folder, version);
}

async function install(version: N8nVersion, stamp: string, progress: Progress): Promise<void> {
	const unfinished = `${version.folder}.unfinished-${process.pid}`;
	await progress.step('Clearing away what an earlier installation left', async () => {
		await removeLeftovers(version);
	});
	const app = join(unfinished, APP);
	const log = join(unfinished, 'install.log');
	if (version.nodePins !== undefined) {
		await progress.step('Installing the Node.js that n8n runs on', async () => {
			await installNode(version.nodePins as string, join(unfinished, NODE), log);
		});
	}
	const title = `Installing n8n ${version.number} (once; some minutes, about 2 GB)`;
	await progress.step(title, async (detail) => {
		await copyPins(version.pins, app);
		const stopCounting = countPackages(app, detail);
		await npmCi(app, log).finally(stopCounting);
	});
	await progress.step('Building its database driver', async () => {
		await npmRebuild(app, 'sqlite3', log);
	});
	await progress.step('Trying it', async () => {
		await tryIt(whatIsIn(unfinished, version), unfinished);
	});
	await writeFile(join(unfinished, STAMP), stamp);
	await rename(unfinished, version.folder);
}

/** The Node.js package for this platform where there is one; else the one that fetches it in its install script. */
async function installNode(pins: string, folder: string, log: string): Promise<void> {
	await copyPins(pins, folder);
	await npmCi(folder, log);
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

async function tryIt(installed: InstalledN8n, folder: string): Promise<void> {
	const stdout = join(folder, 'version.log');
	await runCommand({
		command: installed.node,
		args: [installed.program, '--version'],
		cwd: folder,
		env: {
			PATH: `${dirname(installed.node)}:${process.env.PATH}`,
			HOME: folder,
			...installed.version.env,
		},
		stdout,
		stderr: join(folder, 'version-errors.log'),
	});
	const answer = (await readFile(stdout, 'utf8')).trim().split('\n').at(-1);
	if (answer !== installed.version.number) {
		throw new Error(
			`n8n ${installed.version.number} was installed, but it says it is "${answer}".`,
		);
	}
}

async function copyPins(pins: string, folder: string): Promise<void> {
	await mkdir(folder, { recursive: true });
	for (const file of ['package.json', 'package-lock.json']) {
		await copyFile(join(pins, file), join(folder, file));
	}
}

/** Says every second how many of the packages in the lockfile have arrived. */
function countPackages(folder: string, detail: (text: string) => void): () => void {
	const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
	const wanted = Object.keys(lock.packages).filter((path) => path !== '');
	const timer = setInterval(() => {
		const there = wanted.filter((path) => existsSync(join(folder, path, 'package.json')));
		detail(`${there.length} of ${wanted.length} packages`);
	}, 1000);
	return () => clearInterval(timer);
}

async function removeLeftovers(version: N8nVersion): Promise<void> {
	const folder = dirname(version.folder);
	const outdated = `${version.folder}.unfinished-outdated`;
	if (existsSync(version.folder)) {
		await rm(outdated, { recursive: true, force: true });
		await rename(version.folder, outdated);
	}
	for (const name of await readdir(folder)) {
		if (name.startsWith(`${basename(version.folder)}.unfinished-`)) {
			await rm(join(folder, name), { recursive: true, force: true });
		}
	}
}

async function isInstalled(version: N8nVersion, stamp: string): Promise<boolean> {
	const found = await readFile(join(version.folder, STAMP), 'utf8').catch(() => undefined);
	return found === stamp;
}

/** Changes whenever what would be installed changes. */
async function stampOf(version: N8nVersion): Promise<string> {
	const hash = createHash('sha256');
	for (const pins of [version.pins, version.nodePins]) {
		if (pins === undefined) continue;
		hash.update(await readFile(join(pins, 'package.json')));
		hash.update(await readFile(join(pins, 'package-lock.json')));
	}
	const { platform, arch } = process;
	return JSON.stringify({ n8n: version.number, platform, arch, pins: hash.digest('hex') });
}

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Progress } from './progress.cts';
import { withFileLock } from './realN8n/fileLock.cts';
import { npmCi } from './realN8n/npm.cts';

export interface PinnedInstallation {
	/** What it is, for messages. */
	title: string;
	/** Where it goes. */
	folder: string;
	/** The folders whose package.json and package-lock.json say what is installed. */
	pins: string[];
	/** Installs into another folder, which becomes `folder` when all is done. */
	fill(unfinished: string): Promise<void>;
}

const STAMP = 'installed.json';
const PIN_FILES = ['package.json', 'package-lock.json', '.npmrc'];

/**
 * Installs something once, and again when its pins change. All is done in a folder beside the final
 * one that gets its name at the very end: whatever interrupts it, the next call begins anew. Two
 * processes never install at once.
 */
export async function installOnce(wanted: PinnedInstallation, progress: Progress): Promise<void> {
	const stamp = await stampOf(wanted);
	if (await isInstalled(wanted, stamp)) return;
	const waiting = (holder: number) =>
		progress.note(`Process ${holder} is installing ${wanted.title}: waiting for it`);
	await withFileLock(`${wanted.folder}.lock`, waiting, async () => {
		if (await isInstalled(wanted, stamp)) return;
		await removeLeftovers(wanted.folder, progress);
		const unfinished = `${wanted.folder}.unfinished-${process.pid}`;
		await mkdir(unfinished, { recursive: true });
		await wanted.fill(unfinished);
		await writeFile(join(unfinished, STAMP), stamp);
		await rename(unfinished, wanted.folder);
	});
}

/** Installs into a folder what a folder of pins says, without running the packages' own scripts. */
export async function installPins(
	pins: string,
	folder: string,
	log: string,
	detail: (text: string) => void,
): Promise<void> {
	await mkdir(folder, { recursive: true });
	for (const file of await readdir(pins)) {
		if (PIN_FILES.includes(file)) await copyFile(join(pins, file), join(folder, file));
	}
	const stopCounting = countPackages(folder, detail);
	await npmCi(folder, log).finally(stopCounting);
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

async function removeLeftovers(folder: string, progress: Progress): Promise<void> {
	const parent = dirname(folder);
	const prefix = `${basename(folder)}.unfinished-`;
	if (existsSync(folder)) await rename(folder, join(parent, `${prefix}outdated-${Date.now()}`));
	const leftovers = (await readdir(parent)).filter((name) => name.startsWith(prefix));
	if (leftovers.length === 0) return;
	await progress.step('Clearing away what an earlier installation left', async () => {
		for (const name of leftovers) {
			await rm(join(parent, name), { recursive: true, force: true, maxRetries: 3 });
		}
	});
}

async function isInstalled({ folder }: PinnedInstallation, stamp: string): Promise<boolean> {
	const found = await readFile(join(folder, STAMP), 'utf8').catch(() => undefined);
	return found === stamp;
}

/** Changes whenever what would be installed changes. */
async function stampOf({ pins }: PinnedInstallation): Promise<string> {
	const hash = createHash('sha256');
	for (const folder of pins) {
		hash.update(await readFile(join(folder, 'package.json')));
		hash.update(await readFile(join(folder, 'package-lock.json')));
	}
	const { platform, arch } = process;
	return JSON.stringify({ platform, arch, pins: hash.digest('hex') });
}

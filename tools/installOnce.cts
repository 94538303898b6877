import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { check, lock, type LockOptions } from 'proper-lockfile';
import { npmCi } from './npm.cts';
import type { Progress, SetDetail } from './progress.cts';

export interface Installation {
	/** What it is, for messages. */
	title: string;
	folder: string;
	/** Folders with the package.json and package-lock.json that define what is installed. */
	manifests: string[];
	/** Installs into a temporary folder, which then becomes `folder`. */
	install(folder: string): Promise<void>;
}

const STAMP = 'installed.json';
const MANIFEST_FILES = ['package.json', 'package-lock.json', '.npmrc'];
const LOCK: LockOptions = {
	realpath: false,
	stale: 30_000,
	retries: { forever: true, minTimeout: 1000, maxTimeout: 1000 },
};

/**
 * Installs something, unless it is already there from the same manifests. An interrupted installation
 * starts again from nothing, and two processes never install at the same time.
 */
export async function installOnce(installation: Installation, progress: Progress): Promise<void> {
	const { title, folder, install } = installation;
	const stamp = await createStamp(installation);
	if (await isInstalled(folder, stamp)) return;
	await mkdir(dirname(folder), { recursive: true });
	if (await check(folder, LOCK)) progress.log(`Waiting for another process to install ${title}`);
	const release = await lock(folder, LOCK);
	try {
		if (await isInstalled(folder, stamp)) return;
		await removeLeftovers(folder, progress);
		const unfinished = `${folder}.unfinished-${process.pid}`;
		await mkdir(unfinished);
		await install(unfinished);
		await writeFile(join(unfinished, STAMP), stamp);
		await rename(unfinished, folder);
	} finally {
		await release();
	}
}

/** Installs the packages of a manifest, without their install scripts. */
export async function installManifest(
	manifest: string,
	folder: string,
	log: string,
	setDetail: SetDetail,
): Promise<void> {
	await mkdir(folder, { recursive: true });
	for (const file of await readdir(manifest)) {
		if (MANIFEST_FILES.includes(file)) await copyFile(join(manifest, file), join(folder, file));
	}
	const stopCounting = countPackages(folder, setDetail);
	await npmCi(folder, log).finally(stopCounting);
}

/** Reports every second how many packages of the lockfile are installed. */
function countPackages(folder: string, setDetail: SetDetail): () => void {
	const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
	const paths = Object.keys(packages).filter((path) => path !== '');
	const timer = setInterval(() => {
		const installed = paths.filter((path) => existsSync(join(folder, path, 'package.json')));
		setDetail(`${installed.length} of ${paths.length} packages`);
	}, 1000);
	return () => clearInterval(timer);
}

async function removeLeftovers(folder: string, progress: Progress): Promise<void> {
	const parent = dirname(folder);
	const prefix = `${basename(folder)}.unfinished-`;
	if (existsSync(folder)) await rename(folder, join(parent, `${prefix}outdated-${Date.now()}`));
	const leftovers = (await readdir(parent)).filter((name) => name.startsWith(prefix));
	if (leftovers.length === 0) return;
	await progress.step('Removing an earlier installation', async () => {
		for (const name of leftovers) {
			await rm(join(parent, name), { recursive: true, force: true, maxRetries: 3 });
		}
	});
}

async function isInstalled(folder: string, stamp: string): Promise<boolean> {
	return (await readFile(join(folder, STAMP), 'utf8').catch(() => '')) === stamp;
}

/** Changes whenever another version would be installed. */
async function createStamp({ manifests }: Installation): Promise<string> {
	const hash = createHash('sha256');
	for (const folder of manifests) {
		hash.update(await readFile(join(folder, 'package.json')));
		hash.update(await readFile(join(folder, 'package-lock.json')));
	}
	const { platform, arch } = process;
	return JSON.stringify({ platform, arch, pins: hash.digest('hex') });
}

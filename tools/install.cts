import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { check, lock, type LockOptions } from 'proper-lockfile';
import { runCommand } from './processes.cts';
import type { Progress } from './tool.cts';

/** What a package.json says of packages. Versions are exact; their dependencies are those of BEFORE. */
export interface Manifest {
	dependencies: Record<string, string>;
	optionalDependencies?: Record<string, string>;
	overrides?: Record<string, string>;
}

interface Installation {
	/** What it is, for messages. */
	title: string;
	folder: string;
	/** What is installed, by subfolder. */
	manifests: Record<string, Manifest>;
	/** Finishes the installation in a temporary folder, which then becomes `folder`. */
	finish?(folder: string, log: string): Promise<void>;
}

/** npm installs the newest versions of that day, so that each installation is the same, without a lockfile. */
const BEFORE = '2026-10-05';
const STAMP = 'manifests.json';
const LOCK: LockOptions = {
	realpath: false,
	stale: 30_000,
	retries: { forever: true, minTimeout: 1000, maxTimeout: 1000 },
};

/**
 * Installs packages without their install scripts, unless they are already there. An interrupted installation starts
 * again from nothing, and two processes never install at the same time.
 */
export async function installOnce(installation: Installation, progress: Progress): Promise<void> {
	const { title, folder, manifests } = installation;
	const { platform, arch } = process;
	const stamp = JSON.stringify({ platform, arch, BEFORE, manifests });
	const isInstalled = async () =>
		(await readFile(join(folder, STAMP), 'utf8').catch(() => '')) === stamp;
	if (await isInstalled()) return;
	await mkdir(dirname(folder), { recursive: true });
	if (await check(folder, LOCK)) progress.log(`Waiting for another process to install ${title}`);
	const release = await lock(folder, LOCK);
	try {
		if (await isInstalled()) return;
		await removeLeftovers(folder);
		const unfinished = `${folder}.unfinished-${process.pid}`;
		await mkdir(unfinished);
		await progress.step(`Installing ${title} (once)`, async () => {
			await install(installation, unfinished);
		});
		await writeFile(join(unfinished, STAMP), stamp);
		await rename(unfinished, folder);
	} finally {
		await release();
	}
}

async function install({ manifests, finish }: Installation, folder: string): Promise<void> {
	const log = join(folder, 'install.log');
	for (const [subfolder, manifest] of Object.entries(manifests)) {
		const target = join(folder, subfolder);
		await mkdir(target, { recursive: true });
		await writeFile(join(target, 'package.json'), JSON.stringify({ private: true, ...manifest }));
		const options = ['--ignore-scripts', '--legacy-peer-deps', `--before=${BEFORE}`];
		await npm(target, ['install', ...options, '--prefix', target], log);
	}
	await finish?.(folder, log);
}

async function removeLeftovers(folder: string): Promise<void> {
	const parent = dirname(folder);
	const prefix = `${basename(folder)}.unfinished-`;
	if (existsSync(folder)) await rename(folder, join(parent, `${prefix}outdated-${Date.now()}`));
	for (const name of await readdir(parent)) {
		if (!name.startsWith(prefix)) continue;
		await rm(join(parent, name), { recursive: true, force: true, maxRetries: 3 });
	}
}

/** Runs the install scripts of one installed package. */
export async function npmRebuild(folder: string, name: string, log: string): Promise<void> {
	await npm(folder, ['rebuild', name, '--ignore-scripts=false', '--prefix', folder], log);
}

/**
 * Runs npm in a folder. `npm run` passes the settings of this project on in environment variables;
 * those that change what is installed are removed. Packages are compiled on all cores, and with few
 * optimizations, which cost more time than they save.
 */
export async function npm(folder: string, args: string[], log: string): Promise<void> {
	await runCommand({
		command: 'npm',
		args: [...args, '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'],
		cwd: folder,
		env: {
			...withoutProjectSettings(process.env),
			JOBS: 'max',
			CFLAGS: '-O1',
			CXXFLAGS: '-O1',
		},
		stdout: log,
	});
}

const PROJECT_SETTINGS =
	/^(npm_package_.*|npm_lifecycle_.*|npm_config_(ignore_scripts|legacy_peer_deps|local_prefix|allow_scripts|omit|include)|INIT_CWD|NODE_OPTIONS|NODE_ENV)$/;

function withoutProjectSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const entries = Object.entries(env).filter(([name]) => !PROJECT_SETTINGS.test(name));
	const folders = (env.PATH ?? '').split(delimiter);
	const path = folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
	return { ...Object.fromEntries(entries), PATH: path };
}

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { lock } from 'proper-lockfile';
import { runCommand } from './processes.cts';
import { step } from './tool.cts';

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
	/** What else is to do before it is complete. */
	finish?(log: string): Promise<void>;
}

/** npm installs the newest versions of that day, so that each installation is the same, without a lockfile. */
const BEFORE = '2026-10-05';
/** The file that only a complete installation has. */
const STAMP = 'manifests.json';

/**
 * Installs packages without their install scripts, unless they are already there. An interrupted installation starts
 * again from nothing, and two processes never install at the same time.
 */
export async function installOnce({ title, folder, manifests, finish }: Installation) {
	const { platform, arch } = process;
	const stamp = JSON.stringify({ platform, arch, BEFORE, manifests });
	const isInstalled = async () =>
		(await readFile(join(folder, STAMP), 'utf8').catch(() => '')) === stamp;
	if (await isInstalled()) return;
	await step(`Installing ${title} (once)`, async () => {
		await mkdir(dirname(folder), { recursive: true });
		const retries = { forever: true, minTimeout: 1000, maxTimeout: 1000 };
		const release = await lock(folder, { realpath: false, stale: 30_000, retries });
		try {
			if (await isInstalled()) return;
			await rm(folder, { recursive: true, force: true, maxRetries: 3 });
			const log = join(folder, 'install.log');
			for (const [subfolder, manifest] of Object.entries(manifests)) {
				const target = join(folder, subfolder);
				await mkdir(target, { recursive: true });
				const packageJson = JSON.stringify({ private: true, ...manifest });
				await writeFile(join(target, 'package.json'), packageJson);
				const flags = ['--ignore-scripts', '--legacy-peer-deps', '--fetch-retries=5'];
				const args = ['install', ...flags, `--before=${BEFORE}`, '--prefix', target];
				const install = async () => await npm(target, args, log);
				// npm itself asks again for what a registry doesn't answer, but not for the rest of an answer.
				await install().catch(install);
			}
			await finish?.(log);
			await writeFile(join(folder, STAMP), stamp);
		} finally {
			await release();
		}
	});
}

/** What `npm run` sets of this project and changes what npm installs. */
const PROJECT_SETTINGS =
	/^(npm_package_.*|npm_lifecycle_.*|npm_config_(ignore_scripts|legacy_peer_deps|local_prefix|allow_scripts|omit|include)|INIT_CWD|NODE_OPTIONS|NODE_ENV)$/;

/** Runs npm in a folder, without the settings of this project. Few optimizations: they cost more time than they save. */
export async function npm(folder: string, args: string[], log: string): Promise<void> {
	const entries = Object.entries(process.env).filter(([name]) => !PROJECT_SETTINGS.test(name));
	const folders = (process.env.PATH ?? '').split(delimiter);
	const PATH = folders.filter((one) => !one.includes('node_modules')).join(delimiter);
	const compiler = { JOBS: 'max', CFLAGS: '-O1', CXXFLAGS: '-O1' };
	await runCommand({
		command: 'npm',
		args: [...args, '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'],
		cwd: folder,
		env: { ...Object.fromEntries(entries), PATH, ...compiler },
		stdout: log,
	});
}

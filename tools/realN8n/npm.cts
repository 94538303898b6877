import { join } from 'node:path';
import { runCommand } from './command.cts';

/**
 * Runs npm in a folder of its own. Settings of the project that this process was started from by
 * `npm run` reach it through the environment; those that change what is installed are left out.
 * What has to be compiled is compiled on all cores.
 */
export async function npm(folder: string, args: string[], log: string): Promise<void> {
	await runCommand({
		command: 'npm',
		args: [...args, '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'],
		cwd: folder,
		env: withoutProjectSettings(process.env),
		stdout: log,
	});
}

/**
 * Installs what a lockfile in the folder names, without running the packages' own scripts. How
 * peers count is for the folder's own .npmrc to say.
 */
export async function npmCi(folder: string, log: string): Promise<void> {
	await npm(folder, ['ci', '--ignore-scripts', '--prefix', folder], log);
}

/** Runs the install scripts of one installed package. */
export async function npmRebuild(folder: string, name: string, log: string): Promise<void> {
	await npm(folder, ['rebuild', name, '--ignore-scripts=false', '--prefix', folder], log);
}

const ofTheProject =
	/^(npm_package_.*|npm_lifecycle_.*|npm_config_(ignore_scripts|legacy_peer_deps|local_prefix|allow_scripts|omit|include)|INIT_CWD|NODE_OPTIONS|NODE_ENV)$/;

function withoutProjectSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const entries = Object.entries(env).filter(([name]) => !ofTheProject.test(name));
	const path = (env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
	return { ...Object.fromEntries(entries), PATH: path.join(':'), JOBS: 'max' };
}

/** Where a package lies that was installed into a folder. */
export function installedPackage(folder: string, name: string): string {
	return join(folder, 'node_modules', name);
}

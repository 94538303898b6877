import { delimiter, join } from 'node:path';
import { runCommand } from './command.cts';

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
		env: withoutProjectSettings(process.env),
		stdout: log,
	});
}

/** Installs what the folder's lockfile names, without install scripts. The folder's .npmrc applies. */
export async function npmCi(folder: string, log: string): Promise<void> {
	await npm(folder, ['ci', '--ignore-scripts', '--prefix', folder], log);
}

/** Runs the install scripts of one installed package. */
export async function npmRebuild(folder: string, name: string, log: string): Promise<void> {
	await npm(folder, ['rebuild', name, '--ignore-scripts=false', '--prefix', folder], log);
}

const PROJECT_SETTINGS =
	/^(npm_package_.*|npm_lifecycle_.*|npm_config_(ignore_scripts|legacy_peer_deps|local_prefix|allow_scripts|omit|include)|INIT_CWD|NODE_OPTIONS|NODE_ENV)$/;

function withoutProjectSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const entries = Object.entries(env).filter(([name]) => !PROJECT_SETTINGS.test(name));
	const folders = (env.PATH ?? '').split(delimiter);
	const path = folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
	return {
		...Object.fromEntries(entries),
		PATH: path,
		JOBS: 'max',
		CFLAGS: '-O1',
		CXXFLAGS: '-O1',
	};
}

/** The folder of a package that is installed in a folder. */
export function packageFolder(folder: string, name: string): string {
	return join(folder, 'node_modules', name);
}

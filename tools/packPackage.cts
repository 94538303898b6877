import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './command.cts';
import { npm } from './npm.cts';
import { projectRoot } from './paths.cts';

/** Builds the package into dist. */
export async function buildPackage(log: string): Promise<void> {
	await runCommand({
		command: process.execPath,
		args: [join(projectRoot, 'node_modules', 'gulp', 'bin', 'gulp.js')],
		cwd: projectRoot,
		env: process.env,
		stdout: log,
	});
}

/**
 * Packs the built package as npm would publish it.
 * @returns the path of the tarball
 */
export async function packPackage(folder: string, log: string): Promise<string> {
	await mkdir(folder, { recursive: true });
	await npm(projectRoot, ['pack', '--ignore-scripts', '--pack-destination', folder], log);
	const { name, version } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
	return join(folder, `${name}-${version}.tgz`);
}

/** Unpacks an npm tarball without its top-level folder. */
export async function unpackPackage(tarball: string, folder: string, log: string): Promise<void> {
	await mkdir(folder, { recursive: true });
	await runCommand({
		command: 'tar',
		args: ['-xzf', tarball, '-C', folder, '--strip-components=1'],
		cwd: folder,
		env: process.env,
		stdout: log,
	});
}

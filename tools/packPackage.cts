import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { extract } from 'tar';
import { runCommand } from './command.cts';
import { npm } from './npm.cts';
import { projectRoot } from './paths.cts';
import type { Progress } from './progress.cts';

/**
 * Builds the package and packs it as npm would publish it. With PACKED_PACKAGE, the path of a tarball, it
 * uses that one, so that several tools can share what was built once.
 * @returns the path of the tarball
 */
export async function packPackage(folder: string, progress: Progress): Promise<string> {
	const packed = process.env.PACKED_PACKAGE;
	if (packed) return resolve(projectRoot, packed);
	await mkdir(folder, { recursive: true });
	const log = join(folder, 'build.log');
	await progress.step('Building and packing the package', async () => {
		await runCommand({
			command: process.execPath,
			args: [join(projectRoot, 'node_modules', 'gulp', 'bin', 'gulp.js')],
			cwd: projectRoot,
			env: process.env,
			stdout: log,
		});
		await npm(projectRoot, ['pack', '--ignore-scripts', '--pack-destination', folder], log);
	});
	const { name, version } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
	return join(folder, `${name}-${version}.tgz`);
}

/** Unpacks an npm tarball without its top-level folder. */
export async function unpackPackage(tarball: string, folder: string): Promise<void> {
	await mkdir(folder, { recursive: true });
	await extract({ file: tarball, cwd: folder, strip: 1 });
}

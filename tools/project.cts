import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { extract } from 'tar';
import { npm } from './install.cts';
import { runCommand } from './processes.cts';
import { onInterrupt, step } from './tool.cts';

export const projectRoot = resolve(__dirname, '..');

/**
 * For everything that is downloaded or created at run time. Git and all other tools ignore the folder
 * because of its name. n8n's lint, whose configuration must not change, would otherwise read all of it.
 */
export const cacheFolder = join(projectRoot, '.cache', 'node_modules');

const runs = join(cacheFolder, 'runs');

const DAY_MS = 86_400_000;

/**
 * Creates an empty folder for one run. It is removed when this process ends or, if this process is killed, by a run on
 * another day.
 */
export async function createRunFolder(name: string): Promise<string> {
	await mkdir(runs, { recursive: true });
	for (const entry of await readdir(runs)) {
		const old = join(runs, entry);
		// Another process can remove its own meanwhile.
		const found = await stat(old).catch(() => undefined);
		const isOld = found !== undefined && found.mtimeMs < Date.now() - DAY_MS;
		if (isOld) await rm(old, { recursive: true, force: true });
	}
	const folder = await mkdtemp(join(runs, `${name}-`));
	process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
	// A signal that nobody listens to ends the process without that.
	onInterrupt(async () => undefined);
	return folder;
}

/**
 * Builds the package and packs it as npm would publish it. With PACKED_PACKAGE, the path of a tarball, it uses that one,
 * so that several tools can share what was built once. @returns the path of the tarball
 */
export async function packPackage(folder: string): Promise<string> {
	const packed = process.env.PACKED_PACKAGE;
	if (packed) return resolve(projectRoot, packed);
	await mkdir(folder, { recursive: true });
	const log = join(folder, 'build.log');
	await step('Building and packing the package', async () => {
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

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import packageJson from '../../package.json';
import servicePackageJson from '../../service/package.json';
import { projectRoot } from '../../tools/project.cts';

/** The paths that npm would publish. */
async function listPacked(...args: string[]) {
	const all = ['pack', '--dry-run', '--json', '--ignore-scripts', ...args];
	const options = { cwd: projectRoot, shell: process.platform === 'win32' };
	const { stdout } = await promisify(execFile)('npm', all, options);
	const [{ files }] = JSON.parse(stdout) as Array<{ files: Array<{ path: string }> }>;
	return files.map(({ path }) => path).sort();
}

it('the package of the nodes has no dependencies, and nothing of the service', async () => {
	const isBuilt = (path: string) => /^dist\/(nodes|credentials|icons)\//.test(path);
	const others = (await listPacked()).filter((path) => !isBuilt(path));

	expect(others).toEqual(['LICENSE', 'README.md', 'package.json']);
	const needs = Object.keys(packageJson).filter((key) => /^(?!dev).*dependencies$/i.test(key));
	expect(needs).toEqual(['peerDependencies']);
});

it('the package of the service has the version of the nodes, the contract, all pages and what Prometheus needs, and no sources', async () => {
	const paths = await listPacked('--workspace', 'service');
	const folders = ['pages', 'monitoring'].flatMap((folder) => listServiceFiles(folder));
	const isCompiled = (path: string) => /^dist\/.+\.mjs$/.test(path);

	expect(paths).toContain('dist/main.mjs');
	expect(paths.filter((path) => !isCompiled(path))).toEqual(
		[...['LICENSE', 'README.md', 'dist/openapi.json', 'package.json'], ...folders].sort(),
	);
	const { version, license, repository, engines } = packageJson;
	expect(servicePackageJson).toMatchObject({ version, license, engines });
	expect(servicePackageJson).not.toHaveProperty('private');
	expect(servicePackageJson.repository).toEqual({ ...repository, directory: 'service' });
});

/** By their paths in the folder of the service. */
function listServiceFiles(folder: string): string[] {
	const service = join(projectRoot, 'service');
	const options = { recursive: true, withFileTypes: true } as const;
	return readdirSync(join(service, folder), options)
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => relative(service, join(parentPath, name)))
		.map((path) => path.replaceAll(sep, '/'));
}

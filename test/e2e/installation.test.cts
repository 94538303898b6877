import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { npm } from '../../tools/install.cts';
import { createRunFolder } from '../../tools/project.cts';
import { setup } from './support/setup.cts';

describe('the package, installed with npm', () => {
	it('installs no n8n-workflow, because n8n would not recognize its errors', async () => {
		const folder = await createRunFolder('installation');
		const nodes = join(folder, '.n8n', 'nodes');
		await mkdir(nodes, { recursive: true });
		// n8n creates this file. Without it, npm would install into a parent folder.
		await writeFile(join(nodes, 'package.json'), '{ "name": "installed-nodes", "private": true }');

		const { tarball } = setup.read();
		await npm(
			nodes,
			['install', '--offline', '--prefix', nodes, tarball],
			join(folder, 'install.log'),
		);

		const installed = await readdir(join(nodes, 'node_modules'));
		expect(installed.filter((name) => !name.startsWith('.'))).toEqual([
			'n8n-nodes-encrypted-containers',
		]);
	});
});

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { npm } from '../../tools/npm.cts';
import { createRunFolder } from '../../tools/runFolder.cts';
import { setup } from './support/setup.cts';

describe('the package, installed by hand', () => {
	it('comes alone: with an n8n-workflow beside it, n8n would not know its errors', async () => {
		const folder = await createRunFolder('installation');
		const nodes = join(folder, '.n8n', 'nodes');
		await mkdir(nodes, { recursive: true });
		// As n8n makes it; without it npm would take a folder further up for the one to install into.
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

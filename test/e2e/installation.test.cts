import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { npm } from '../../tools/realN8n/npm.cts';
import { createRunFolder } from '../../tools/realN8n/runFolder.cts';
import { prepared } from './support/prepared.cts';

describe('the package, installed by hand', () => {
	it('comes alone: with an n8n-workflow beside it, n8n would not know its errors', async () => {
		const folder = await createRunFolder('installation');
		const nodes = join(folder, '.n8n', 'nodes');
		await mkdir(nodes, { recursive: true });

		const { tarball } = prepared.read();
		await npm(nodes, ['install', '--offline', tarball], join(folder, 'install.log'));

		const installed = await readdir(join(nodes, 'node_modules'));
		expect(installed.filter((name) => !name.startsWith('.'))).toEqual([
			'n8n-nodes-encrypted-containers',
		]);
	});
});

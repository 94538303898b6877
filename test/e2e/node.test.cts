import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { npm } from '../../tools/install.cts';
import { testExecutions } from './node/executions.cts';
import { testFiles } from './node/files.cts';
import { testOperations } from './node/operations.cts';
import { setup } from './support/setup.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';

/** All use one n8n, whose start takes longer than their tests. */
describe('in the real n8n', () => {
	const test = {} as { e2e: TestEnvironment };
	beforeAll(async () => {
		test.e2e = await startTestEnvironment();
	});
	beforeEach(() => test.e2e.sandbox.reset());
	afterAll(async () => await test.e2e?.stop());

	testOperations(test);
	testFiles(test);
	testExecutions(test);

	it('npm installs no n8n-workflow with the package, because n8n would not recognize its errors', async () => {
		const nodes = join(test.e2e.n8n.folder, 'installation');
		await mkdir(nodes);
		// n8n creates this file. Without it, npm would install into a parent folder.
		await writeFile(join(nodes, 'package.json'), '{ "name": "installed-nodes", "private": true }');

		const args = ['install', '--offline', '--prefix', nodes, setup.read().tarball];
		await npm(nodes, args, join(test.e2e.n8n.folder, 'install.log'));

		const installed = await readdir(join(nodes, 'node_modules'));
		expect(installed.filter((name) => !name.startsWith('.'))).toEqual([
			'n8n-nodes-encrypted-containers',
		]);
	});
});

import { join } from 'node:path';
import { consoleProgress } from '../../../tools/progress.cts';
import { prepareN8n } from '../../../tools/realN8n/n8n.cts';
import { packPackage } from '../../../tools/realN8n/package.cts';
import { createRunFolder } from '../../../tools/realN8n/runFolder.cts';
import { prepared } from './prepared.cts';

/**
 * Once for all tests of the real n8n: installs it, packs the package (which must have been built),
 * and prepares a user folder with the package and an empty database, which each test file copies.
 */
export default async function globalSetup(): Promise<void> {
	const progress = consoleProgress();
	const folder = await createRunFolder('e2e');
	const tarball = await packPackage(folder, join(folder, 'pack.log'));
	const n8n = await prepareN8n({ tarball, progress });
	await progress.step('Preparing the database of n8n', async () => {
		await n8n.command(['list:workflow']);
	});
	prepared.write({ tarball, userFolder: n8n.folder });
}

import { packPackage, createRunFolder } from '../../../tools/project.cts';
import { step } from '../../../tools/tool.cts';
import { prepareN8n } from '../../../tools/realN8n/n8n.cts';
import { setup } from './setup.cts';

/**
 * Runs once before all tests of the real n8n: installs n8n, packs the package, and prepares a
 * user folder with the package and an empty database, which each test file copies.
 */
export default async function globalSetup(): Promise<void> {
	const folder = await createRunFolder('e2e');
	const tarball = await packPackage(folder);
	const n8n = await prepareN8n({ tarball });
	await step("Preparing n8n's database", async () => {
		await n8n.command(['list:workflow']);
	});
	setup.write({ tarball, userFolder: n8n.folder });
}

import { join } from 'node:path';
import { startSandbox } from '../../../sandbox/index.cts';
import { ensureChromium } from '../../../tools/editor/chromium.cts';
import { consoleProgress } from '../../../tools/progress.cts';
import { prepareN8n } from '../../../tools/realN8n/n8n.cts';
import { packPackage } from '../../../tools/realN8n/package.cts';
import { createRunFolder } from '../../../tools/realN8n/runFolder.cts';
import { stage } from './stage.cts';

/**
 * Once for all tests of the editor: the sandbox, and a real n8n with the packed package (which must
 * have been built) and the sandbox's certificate authority.
 */
export default async function globalSetup(): Promise<void> {
	const progress = consoleProgress();
	const folder = await createRunFolder('browser');
	await ensureChromium(progress, join(folder, 'chromium.log'));
	const tarball = await packPackage(folder, join(folder, 'pack.log'));
	const sandbox = await startSandbox({ folder: join(folder, 'sandbox') });
	stage.closeAtEnd(async () => await sandbox.stop());
	try {
		const n8n = await prepareN8n({ tarball, caPath: sandbox.caPath, progress });
		stage.closeAtEnd(async () => await n8n.stop());
		const server = await progress.step("Starting n8n's editor", async () => await n8n.start());
		stage.write({
			access: { url: server.url, owner: server.owner },
			sandbox: { origin: sandbox.origin, ca: sandbox.ca },
			profile: join(folder, 'profile'),
			files: n8n.files,
		});
	} catch (error) {
		await stage.close();
		throw error;
	}
}

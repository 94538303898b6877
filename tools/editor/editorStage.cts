import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { startSandbox, type Sandbox } from '../../sandbox/index.cts';
import type { Progress } from '../progress.cts';
import { prepareN8n, type N8n } from '../realN8n/n8n.cts';
import { packPackage } from '../realN8n/package.cts';
import { createRunFolder } from '../realN8n/runFolder.cts';
import type { N8nServer } from '../realN8n/server.cts';
import { exampleFile } from '../stage.cts';
import { ensureChromium } from './chromium.cts';

/** Everything that a browser needs in order to show the editor with the package. */
export interface EditorStage {
	sandbox: Sandbox;
	n8n: N8n;
	server: N8nServer;
	/** Profile folder of the browser. */
	profile: string;
	/** The example's file, where workflows may read it. */
	file: string;
	close(): Promise<void>;
}

/**
 * Starts the sandbox and a real n8n with the packed package, which must have been built, and sees to
 * it that Chromium is there.
 */
export async function startEditorStage(progress: Progress): Promise<EditorStage> {
	const folder = await createRunFolder('editor');
	await ensureChromium(progress, join(folder, 'chromium.log'));
	const tarball = await packPackage(folder, join(folder, 'pack.log'));
	const sandbox = await startSandbox({ folder: join(folder, 'sandbox') });
	try {
		const n8n = await prepareN8n({ tarball, caPath: sandbox.caPath, progress });
		const file = join(n8n.files, basename(exampleFile));
		await copyFile(exampleFile, file);
		const server = await progress.step("Starting n8n's editor", async () => await n8n.start());
		const close = async () => {
			await n8n.stop();
			await sandbox.stop();
		};
		return { sandbox, n8n, server, file, profile: join(folder, 'profile'), close };
	} catch (error) {
		await sandbox.stop();
		throw error;
	}
}

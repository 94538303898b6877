import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { startSandbox, type Sandbox } from '../../sandbox/index.cts';
import { exampleFile } from '../demoService.cts';
import { packPackage, createRunFolder } from '../project.cts';
import type { Progress } from '../tool.cts';
import { prepareN8n } from '../realN8n/n8n.cts';
import type { N8nServer } from '../realN8n/server.cts';
import { ensureChromium } from './chromium.cts';

/** Everything that a browser needs to show the editor with the package. */
export interface EditorEnvironment {
	sandbox: Sandbox;
	server: N8nServer;
	/** Profile folder of the browser. */
	profile: string;
	/** The example's PDF, which workflows can read. */
	file: string;
	stop(): Promise<void>;
}

/**
 * Starts the sandbox and a real n8n with the packed package, and installs Chromium if it is missing.
 */
export async function startEditorEnvironment(progress: Progress): Promise<EditorEnvironment> {
	const folder = await createRunFolder('editor');
	await ensureChromium(progress, join(folder, 'chromium.log'));
	const tarball = await packPackage(folder, progress);
	const sandbox = await startSandbox({ folder: join(folder, 'sandbox') });
	try {
		const n8n = await prepareN8n({ tarball, caPath: sandbox.caPath, progress });
		const file = join(n8n.files, basename(exampleFile));
		await copyFile(exampleFile, file);
		const server = await progress.step("Starting n8n's editor", n8n.start);
		const stop = async () => {
			await n8n.stop();
			await sandbox.stop();
		};
		return { sandbox, server, file, profile: join(folder, 'profile'), stop };
	} catch (error) {
		await sandbox.stop();
		throw error;
	}
}

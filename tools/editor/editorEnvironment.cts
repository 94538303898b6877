import { join } from 'node:path';
import { prepareDemoN8n, startDemoService } from '../demoService.cts';
import type { Progress } from '../tool.cts';

/** Starts the sandbox and a real n8n with the packed package: everything that a browser needs to show the editor. */
export async function startEditorEnvironment(progress: Progress) {
	const service = await startDemoService(progress);
	const { folder, sandbox } = service;
	try {
		const { n8n, file } = await prepareDemoN8n(service, progress);
		const server = await progress.step("Starting n8n's editor", n8n.start);
		const stop = async () => {
			await n8n.stop();
			await sandbox.stop();
		};
		/** `profile`: the folder of the browser; `file`: the example's PDF, which workflows can read. */
		return { sandbox, server, file, profile: join(folder, 'profile'), stop };
	} catch (error) {
		await sandbox.stop();
		throw error;
	}
}

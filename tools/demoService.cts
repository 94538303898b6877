import { join } from 'node:path';
import { startSandbox } from '../sandbox/index.cts';
import { copyExampleFile } from './examples.cts';
import { createRunFolder, packPackage } from './project.cts';
import { prepareN8n } from './realN8n/n8n.cts';
import { onInterrupt, step } from './tool.cts';

export type DemoService = Awaited<ReturnType<typeof startDemoService>>;

/** Builds and packs the package, and starts the sandbox until this process ends. */
export async function startDemoService() {
	const folder = await createRunFolder('demo');
	const tarball = await packPackage(folder);
	const sandbox = await startSandbox({ folder: join(folder, 'sandbox') });
	onInterrupt(sandbox.stop);
	return { folder, tarball, sandbox };
}

/** Prepares a real n8n with the packed package, and the path of the example's file that its workflows can read. */
export async function prepareDemoN8n({ tarball, sandbox }: DemoService) {
	const n8n = await prepareN8n({ tarball, caPath: sandbox.caPath });
	return { n8n, file: await copyExampleFile(n8n.files) };
}

/**
 * Starts the sandbox and the editor of a real n8n with the packed package. `profile` is a folder for a browser, `file`
 * the example's PDF, which workflows can read.
 */
export async function startEditorEnvironment() {
	const service = await startDemoService();
	const { folder, sandbox } = service;
	const { n8n, file } = await prepareDemoN8n(service);
	const server = await step("Starting n8n's editor", n8n.start);
	const stop = async () => {
		await n8n.stop();
		await sandbox.stop();
	};
	return { sandbox, server, file, profile: join(folder, 'profile'), stop };
}

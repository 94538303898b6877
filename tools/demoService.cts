import { join } from 'node:path';
import { startSandbox } from '../sandbox/index.cts';
import { copyExampleFile } from './examples.cts';
import { createRunFolder, packPackage } from './project.cts';
import { prepareN8n } from './realN8n/n8n.cts';
import { onInterrupt, type Progress } from './tool.cts';

export type DemoService = Awaited<ReturnType<typeof startDemoService>>;

/** Builds and packs the package, and starts the sandbox until this process ends. */
export async function startDemoService(progress: Progress) {
	const folder = await createRunFolder('demo');
	const tarball = await packPackage(folder, progress);
	const sandbox = await startSandbox({ folder: join(folder, 'sandbox') });
	onInterrupt(sandbox.stop);
	return { folder, tarball, sandbox };
}

/** Prepares a real n8n with the packed package, and the path of the example's file that its workflows can read. */
export async function prepareDemoN8n({ tarball, sandbox }: DemoService, progress: Progress) {
	const n8n = await prepareN8n({ tarball, caPath: sandbox.caPath, progress });
	return { n8n, file: await copyExampleFile(n8n.files) };
}

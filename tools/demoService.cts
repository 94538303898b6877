import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyExampleFile } from './examples.cts';
import { createRunFolder, packPackage } from './project.cts';
import { prepareN8n } from './realN8n/n8n.cts';
import { buildService, startService } from './service.cts';
import { connectService } from './serviceClient.cts';
import { step } from './tool.cts';

export type DemoService = Awaited<ReturnType<typeof startDemoService>>;

/** Builds and packs the package, and starts the service until this process ends. */
export async function startDemoService() {
	const folder = await createRunFolder('demo');
	const tarball = await packPackage(folder);
	await buildService(folder);
	const service = await startService(folder);
	const ca = await readFile(service.caPath, 'utf8');
	return { folder, tarball, service, ca, client: connectService({ ...service, ca }) };
}

/** Prepares a real n8n with the packed package, and the path of the example's file that its workflows can read. */
export async function prepareDemoN8n({ tarball, service }: DemoService) {
	const n8n = await prepareN8n({ tarball, caPath: service.caPath });
	return { n8n, file: await copyExampleFile(n8n.files) };
}

/**
 * Starts the service and the editor of a real n8n with the packed package. `profile` is a folder for a browser, `file`
 * the example's PDF, which workflows can read.
 */
export async function startEditorEnvironment() {
	const demo = await startDemoService();
	const { folder, service, ca, client } = demo;
	const { n8n, file } = await prepareDemoN8n(demo);
	const server = await step("Starting n8n's editor", n8n.start);
	const stop = async () => {
		await n8n.stop();
		await service.stop();
	};
	return { service, ca, client, server, file, profile: join(folder, 'profile'), stop };
}

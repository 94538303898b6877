import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyExampleFile } from './examples.cts';
import { createRunFolder, packPackage } from './project.cts';
import { prepareN8n } from './realN8n/n8n.cts';
import { buildService, startService } from './service.cts';
import { connectService } from './serviceClient.cts';
import { step } from './tool.cts';

export type Environment = Awaited<ReturnType<typeof startEnvironment>>;

/** Builds and packs the package, and starts the service until this process ends. */
export async function startEnvironment() {
	const folder = await createRunFolder('environment');
	const start = async () => {
		await buildService(folder);
		return await startService(folder);
	};
	const [tarball, service] = await Promise.all([packPackage(folder), start()]);
	const ca = await readFile(service.caPath, 'utf8');
	return { folder, tarball, service, ca, client: connectService({ ...service, ca }) };
}

/**
 * Starts the service and the editor of a real n8n with the packed package. `profile` is a folder for a browser, `file`
 * the example's PDF, which workflows can read.
 */
export async function startEditorEnvironment() {
	const { folder, tarball, service, ca, client } = await startEnvironment();
	const n8n = await prepareN8n({ tarball, caPath: service.caPath });
	const file = await copyExampleFile(n8n.files);
	const server = await step("Starting n8n's editor", n8n.start);
	const stop = async () => {
		await n8n.stop();
		await service.stop();
	};
	return { service, ca, client, server, file, profile: join(folder, 'profile'), stop };
}

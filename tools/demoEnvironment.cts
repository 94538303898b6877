import { randomBytes } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { readExamples, withCredentials } from './examples.cts';
import { onInterrupt } from './interrupt.cts';
import { buildPackage, packPackage } from './packPackage.cts';
import { projectRoot } from './paths.cts';
import type { Progress } from './progress.cts';
import { prepareN8n, type N8n } from './realN8n/n8n.cts';
import { CREDENTIAL_TYPE, type CredentialJson, type WorkflowJson } from './realN8n/workflow.cts';
import { createRunFolder } from './runFolder.cts';

export interface DemoEnvironment {
	sandbox: Sandbox;
	n8n: N8n;
	/** The imported example workflows, by file name without the extension. */
	workflows: Map<string, WorkflowJson>;
	stop(): Promise<void>;
}

/** The example that the demo runs, and the file that it encrypts. */
export const exampleWorkflow = 'encrypt-an-invoice';
export const exampleFile = join(projectRoot, 'examples', 'files', 'invoice-2026-0042.pdf');

/**
 * Starts the sandbox and prepares the real n8n for the demo and the development editor, with the packed
 * package, the credential and example workflows.
 * @param isIncluded called with the file name of each example, without the extension
 */
export async function startDemoEnvironment(
	isIncluded: (name: string) => boolean,
	progress: Progress,
): Promise<DemoEnvironment> {
	const folder = await createRunFolder('demo');
	const log = join(folder, 'build.log');
	const tarball = await progress.step('Building and packing the package', async () => {
		await buildPackage(log);
		return await packPackage(folder, log);
	});
	const sandbox = await progress.step('Starting the sandbox service', async () => {
		const apiKey = `sandbox-${randomBytes(18).toString('base64url')}`;
		return await startSandbox({ folder: join(folder, 'sandbox'), apiKey });
	});
	const unregister = onInterrupt(async () => await sandbox.stop());
	try {
		const n8n = await prepareN8n({ version: '2', tarball, caPath: sandbox.caPath, progress });
		await copyFile(exampleFile, join(n8n.files, basename(exampleFile)));
		const workflows = new Map<string, WorkflowJson>();
		const credential = createCredential(sandbox);
		const { id, name: credentialName } = credential;
		const credentials = { [CREDENTIAL_TYPE]: { id, name: credentialName } };
		for (const [name, workflow] of await readExamples()) {
			if (isIncluded(name)) workflows.set(name, withCredentials(workflow, credentials));
		}
		await progress.step("Creating n8n's database and importing the credential", async () => {
			await n8n.importCredentials([credential]);
		});
		await progress.step('Importing the example workflows into n8n', async () => {
			await n8n.importWorkflows([...workflows.values()]);
		});
		return {
			sandbox,
			n8n,
			workflows,
			async stop() {
				await n8n.stop();
				await sandbox.stop();
				unregister();
			},
		};
	} catch (error) {
		await sandbox.stop();
		unregister();
		throw error;
	}
}

function createCredential(sandbox: Sandbox): CredentialJson {
	return {
		id: 'sandboxCredential',
		name: 'Encrypted Containers API',
		type: CREDENTIAL_TYPE,
		data: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
	};
}

import { randomBytes } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { readExamples, withCredentials } from './examples.cts';
import { onInterrupt } from './interrupt.cts';
import { projectRoot } from './paths.cts';
import type { Progress } from './progress.cts';
import { prepareN8n, type N8n } from './realN8n/n8n.cts';
import { buildPackage, packPackage } from './realN8n/package.cts';
import { createRunFolder } from './realN8n/runFolder.cts';
import { CREDENTIAL_TYPE, type CredentialJson, type WorkflowJson } from './realN8n/workflow.cts';

export interface Stage {
	sandbox: Sandbox;
	n8n: N8n;
	/** The example workflows, by the names of their files without the ending. */
	workflows: Map<string, WorkflowJson>;
	/** Ends everything that runs. */
	close(): Promise<void>;
}

/** The example that the demo runs, and the file that it takes. */
export const exampleWorkflow = 'encrypt-an-invoice';
export const exampleFile = join(projectRoot, 'examples', 'files', 'invoice-2026-0042.pdf');

/**
 * Sets up what the demo and the development editor show: the package as it would be published, in
 * the real n8n, with the sandbox as its service and example workflows imported, ready to run.
 * @param isWanted which of the examples, by the names of their files without the ending
 */
export async function setUpStage(
	isWanted: (name: string) => boolean,
	progress: Progress,
): Promise<Stage> {
	const folder = await createRunFolder('stage');
	const log = join(folder, 'build.log');
	const tarball = await progress.step('Building and packing the package', async () => {
		await buildPackage(log);
		return await packPackage(folder, log);
	});
	const sandbox = await progress.step('Starting the sandbox service', async () => {
		const apiKey = `sandbox-${randomBytes(18).toString('base64url')}`;
		return await startSandbox({ folder: join(folder, 'sandbox'), apiKey });
	});
	const stopSandbox = async () => await sandbox.stop();
	const forget = onInterrupt(stopSandbox);
	try {
		const n8n = await prepareN8n({ version: '2', tarball, caPath: sandbox.caPath, progress });
		await copyFile(exampleFile, join(n8n.files, basename(exampleFile)));
		const workflows = new Map<string, WorkflowJson>();
		const credential = credentialFor(sandbox);
		for (const [name, workflow] of await readExamples()) {
			const { id, name: title } = credential;
			const stored = { [CREDENTIAL_TYPE]: { id, name: title } };
			if (isWanted(name)) workflows.set(name, withCredentials(workflow, stored));
		}
		await progress.step("Making n8n's database and importing the credential", async () => {
			await n8n.importCredentials([credential]);
		});
		await progress.step('Importing the example workflows into n8n', async () => {
			await n8n.importWorkflows([...workflows.values()]);
		});
		return {
			sandbox,
			n8n,
			workflows,
			async close() {
				await n8n.stop();
				await sandbox.stop();
				forget();
			},
		};
	} catch (error) {
		await sandbox.stop();
		forget();
		throw error;
	}
}

/** The credential for the nodes of the example workflows. */
function credentialFor(sandbox: Sandbox): CredentialJson {
	return {
		id: 'sandboxCredential',
		name: 'Encrypted Containers API',
		type: CREDENTIAL_TYPE,
		data: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
	};
}

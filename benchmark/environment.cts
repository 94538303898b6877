import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startSandboxProcess } from '../sandbox/client.cts';
import { createRunFolder } from '../tools/project.cts';
import { prepareN8n } from '../tools/realN8n/n8n.cts';
import { CREDENTIAL_TYPE } from '../tools/realN8n/workflow.cts';
import { onInterrupt, step } from '../tools/tool.cts';
import type { Sample } from './measure.cts';
import { BEARER_CREDENTIAL, MEASURED_NODE, OWN_CREDENTIAL } from './workflows.cts';

export type BenchmarkEnvironment = Awaited<ReturnType<typeof startBenchmarkEnvironment>>;

const N8N_SETTINGS = {
	// Executions that n8n saves would only fill the disk.
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
	EXECUTIONS_DATA_SAVE_ON_ERROR: 'none',
	EXECUTIONS_DATA_SAVE_MANUAL_EXECUTIONS: 'false',
	// The server then says how long its event loop was blocked.
	N8N_METRICS: 'true',
};

/** Starts a real n8n with the packed package, and the service in its own process. */
export async function startBenchmarkEnvironment(tarball: string) {
	const folder = await createRunFolder('bench');
	const settings = { hashFiles: false };
	const sandbox = await startSandboxProcess({ folder: join(folder, 'sandbox'), settings });
	const { caPath, url: baseUrl, apiKey } = sandbox;
	const unregister = onInterrupt(sandbox.stop);
	const n8n = await prepareN8n({ tarball, caPath, env: N8N_SETTINGS });
	await step('Importing the credentials into n8n', async () => {
		const { [CREDENTIAL_TYPE]: own } = OWN_CREDENTIAL;
		await n8n.importCredentials([
			{ ...own, type: CREDENTIAL_TYPE, data: { baseUrl, apiKey } },
			{ ...BEARER_CREDENTIAL.httpBearerAuth, type: 'httpBearerAuth', data: { token: apiKey } },
		]);
	});
	return {
		n8n,
		sandbox,
		/**
		 * Runs an imported workflow in its own n8n process.
		 * @returns the time of the node MEASURED_NODE (0 if there is none) and what the process needed
		 * @throws when the workflow fails
		 */
		async measure(workflowId: string): Promise<Sample> {
			await sandbox.clearRequests();
			const execution = await n8n.execute(workflowId);
			await rm(join(n8n.folder, '.n8n', 'storage'), { recursive: true, force: true });
			if (execution.error) throw new Error(`A workflow failed: ${execution.error.message}`);
			const [run] = execution.runData[MEASURED_NODE] ?? [];
			return {
				seconds: (run?.executionTime ?? 0) / 1000,
				peakBytes: execution.peakMemory,
				processorSeconds: execution.processorSeconds,
				requests: (await sandbox.counts()).total,
			};
		},
		async stop() {
			await n8n.stop();
			await sandbox.stop();
			unregister();
		},
	};
}

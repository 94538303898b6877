import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startSandboxProcess, type SandboxProcess } from '../sandbox/process.cts';
import { onInterrupt, type Progress } from '../tools/tool.cts';
import { prepareN8n, type N8n } from '../tools/realN8n/n8n.cts';
import { createRunFolder } from '../tools/project.cts';
import { createCredentials } from './credentials.cts';
import type { Sample } from './measurements.cts';
import { MEASURED_NODE } from './workflows.cts';

/** A real n8n with the packed package, and the service in its own process. */
export interface BenchmarkEnvironment {
	n8n: N8n;
	sandbox: SandboxProcess;
	/** A folder for temporary files. */
	folder: string;
	/**
	 * Runs an imported workflow in its own n8n process.
	 * @returns the time of the node MEASURED_NODE (0 if there is none) and the peak memory of the process
	 * @throws when the workflow fails
	 */
	measure(workflowId: string): Promise<Sample>;
	stop(): Promise<void>;
}

const N8N_SETTINGS = {
	// Executions that n8n saves would only fill the disk.
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
	EXECUTIONS_DATA_SAVE_ON_ERROR: 'none',
	EXECUTIONS_DATA_SAVE_MANUAL_EXECUTIONS: 'false',
	// The server then says how long its event loop was blocked.
	N8N_METRICS: 'true',
};

export async function startBenchmarkEnvironment(
	tarball: string,
	progress: Progress,
): Promise<BenchmarkEnvironment> {
	const folder = await createRunFolder('bench');
	const sandbox = await startSandboxProcess({
		folder: join(folder, 'sandbox'),
		settings: { hashFiles: false },
	});
	const unregister = onInterrupt(async () => await sandbox.stop());
	const n8n = await prepareN8n({
		version: '2',
		tarball,
		caPath: sandbox.caPath,
		env: N8N_SETTINGS,
		progress,
	});
	await progress.step('Importing the credentials into n8n', async () => {
		await n8n.importCredentials(createCredentials(sandbox));
	});
	return {
		n8n,
		sandbox,
		folder,
		async measure(workflowId) {
			await sandbox.clearRequests();
			const execution = await n8n.execute(workflowId);
			await rm(join(n8n.folder, '.n8n', 'storage'), { recursive: true, force: true });
			if (execution.error) throw new Error(`A workflow failed: ${execution.error.message}`);
			const { total } = await sandbox.counts();
			const [run] = execution.runData[MEASURED_NODE] ?? [];
			return {
				seconds: (run?.executionTime ?? 0) / 1000,
				peakBytes: execution.peakMemory,
				processorSeconds: execution.processorSeconds,
				requests: total,
			};
		},
		async stop() {
			await n8n.stop();
			await sandbox.stop();
			unregister();
			await rm(n8n.folder, { recursive: true, force: true });
			await rm(folder, { recursive: true, force: true });
		},
	};
}

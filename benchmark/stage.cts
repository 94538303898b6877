import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startSandboxProcess, type SandboxProcess } from '../sandbox/process.cts';
import { onInterrupt } from '../tools/interrupt.cts';
import type { Progress } from '../tools/progress.cts';
import { prepareN8n, type N8n } from '../tools/realN8n/n8n.cts';
import { buildPackage, packPackage } from '../tools/realN8n/package.cts';
import { createRunFolder } from '../tools/realN8n/runFolder.cts';
import { credentialsFor } from './credentials.cts';
import type { Sample } from './samples.cts';
import { MEASURED } from './workflows.cts';

/** Where it is measured: a real n8n with the packed package, and the service in a process of its own. */
export interface Stage {
	n8n: N8n;
	sandbox: SandboxProcess;
	/** A folder for what is made during the run; it goes with it. */
	folder: string;
	/**
	 * Runs an imported workflow in an n8n process of its own.
	 *
	 * @returns the time of the node named MEASURED alone (0 where there is none), the peak memory of the whole process,
	 *   and the requests that the service received
	 * @throws Error when the workflow fails
	 */
	measure(workflowId: string): Promise<Sample>;
	close(): Promise<void>;
}

/** What n8n keeps of an execution would only fill the disk. */
const KEEP_NOTHING = {
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
	EXECUTIONS_DATA_SAVE_ON_ERROR: 'none',
};

/**
 * Packs the package, for all parts to be measured on the same one.
 *
 * @param build whether to build it first, or to take what is in dist
 * @returns the path of the tarball
 */
export async function packForStages(build: boolean, progress: Progress): Promise<string> {
	const folder = await createRunFolder('bench-package');
	const log = join(folder, 'build.log');
	return await progress.step('Packing the package', async () => {
		if (build) await buildPackage(log);
		return await packPackage(folder, log);
	});
}

/**
 * Starts the service and prepares n8n.
 *
 * @param tarball the packed package
 * @param progress told what is done
 */
export async function setUpStage(tarball: string, progress: Progress): Promise<Stage> {
	const folder = await createRunFolder('bench');
	const sandbox = await startSandboxProcess({
		folder: join(folder, 'sandbox'),
		settings: { hashFiles: false },
	});
	const forget = onInterrupt(async () => await sandbox.stop());
	const n8n = await prepareN8n({
		version: '2',
		tarball,
		caPath: sandbox.caPath,
		env: KEEP_NOTHING,
		progress,
	});
	await progress.step('Importing the credentials into n8n', async () => {
		await n8n.importCredentials(credentialsFor(sandbox));
	});
	return {
		n8n,
		sandbox,
		folder,
		async measure(workflowId) {
			await sandbox.clearRequests();
			const execution = await n8n.execute(workflowId, { measureMemory: true });
			await rm(join(n8n.folder, '.n8n', 'storage'), { recursive: true, force: true });
			if (execution.error) throw new Error(`A workflow failed: ${execution.error.message}`);
			const { total } = await sandbox.counts();
			const [run] = execution.runData[MEASURED] ?? [];
			return {
				seconds: (run?.executionTime ?? 0) / 1000,
				peakBytes: execution.peakMemory?.main,
				requests: total,
			};
		},
		async close() {
			await n8n.stop();
			await sandbox.stop();
			forget();
			await rm(n8n.folder, { recursive: true, force: true });
			await rm(folder, { recursive: true, force: true });
		},
	};
}

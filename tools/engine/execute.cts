import './environment.cts';
import { readFile, writeFile } from 'node:fs/promises';
import { WorkflowExecute } from 'n8n-core';
import {
	setGlobalState,
	Workflow,
	type ICredentialDataDecryptedObject,
	type IRun,
} from 'n8n-workflow';
import type { WorkflowJson } from '../realN8n/workflow.cts';
import { runTool } from '../tool.cts';
import { binaryStore } from './binary.cts';
import { FixedCredentials } from './credentials.cts';
import { additionalDataFor } from './host.cts';
import { baseNodes, loadNodePackage, type LoadedPackage } from './package.cts';

/** Executes a workflow from its trigger on, in this process. An aborted signal cancels it. */
export async function executeWorkflow(
	{ loader, nodeTypes }: LoadedPackage,
	workflow: WorkflowJson,
	credential: ICredentialDataDecryptedObject,
	signal?: AbortSignal,
): Promise<IRun> {
	const mode = 'cli';
	const additionalData = additionalDataFor({
		credentialsHelper: new FixedCredentials(loader, credential),
		executionId: '1',
		mode,
		workflow,
		settings: workflow.settings,
	});
	const running = new WorkflowExecute(additionalData, mode).run({
		workflow: new Workflow({ ...workflow, active: false, nodeTypes }),
	});
	const cancel = () => running.cancel();
	signal?.addEventListener('abort', cancel, { once: true });
	try {
		return await running;
	} finally {
		signal?.removeEventListener('abort', cancel);
	}
}

/** What one process of the engine executes. */
export interface EngineJob {
	packageFolder: string;
	workflow: WorkflowJson;
	credential: ICredentialDataDecryptedObject;
}

/** Executes a job in this process: `execute.cts JOB.json RESULT.json`. */
async function main() {
	const [jobPath, resultPath] = process.argv.slice(2);
	const job = JSON.parse(await readFile(jobPath, 'utf8')) as EngineJob;
	await binaryStore();
	// As n8n does at its start.
	setGlobalState({ defaultTimezone: String(process.env.GENERIC_TIMEZONE) });
	const loaded = await loadNodePackage(job.packageFolder, baseNodes);
	const run = await executeWorkflow(loaded, job.workflow, job.credential);
	await writeFile(resultPath, JSON.stringify(run));
}

if (require.main === module) runTool(main);

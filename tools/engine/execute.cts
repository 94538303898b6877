import './environment.cts';
import { WorkflowExecute } from 'n8n-core';
import { Workflow, type ICredentialDataDecryptedObject, type IRun } from 'n8n-workflow';
import type { WorkflowJson } from '../realN8n/workflow.cts';
import { binaryStore } from './binary.cts';
import { FixedCredentials } from './credentials.cts';
import { additionalDataFor } from './host.cts';
import type { LoadedPackage } from './package.cts';

/** Executes a workflow from its trigger on, in this process. An aborted signal cancels it. */
export async function executeWorkflow(
	{ loader, nodeTypes }: LoadedPackage,
	workflow: WorkflowJson,
	credential: ICredentialDataDecryptedObject,
	signal?: AbortSignal,
): Promise<IRun> {
	await binaryStore();
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
		pinData: workflow.pinData,
	});
	const cancel = () => running.cancel();
	signal?.addEventListener('abort', cancel, { once: true });
	try {
		return await running;
	} finally {
		signal?.removeEventListener('abort', cancel);
	}
}

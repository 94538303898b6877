import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { baseNodes } from '../engine/baseNodes.cts';
import { executeWorkflow } from '../engine/executeWorkflow.cts';
import type { ApiCredentials } from '../engine/credentials.cts';
import { loadNodePackage } from '../engine/package.cts';
import { toExecution } from '../realN8n/execution.cts';
import { buildWorkflow, CREDENTIAL_TYPE, NODE_TYPE } from '../realN8n/workflow.cts';

/** What the node makes of the responses: items, or an error. */
export interface Outcome {
	items: IDataObject[];
	error?: { message: string; description?: string | null; httpCode?: string | null };
}

/** Runs one operation of the node in n8n's engine. An aborted signal cancels it. */
export type RunOperation = (
	parameters: INodeParameters,
	credential: ApiCredentials,
	signal?: AbortSignal,
) => Promise<Outcome>;

const TESTED = 'Encrypted Containers';
const CREDENTIALS = { [CREDENTIAL_TYPE]: { id: 'probe', name: 'Probe' } };

/** @param folder the built package */
export async function loadOperations(folder: string): Promise<RunOperation> {
	const loaded = await loadNodePackage(folder, baseNodes);
	return async (parameters, credential, signal) => {
		const workflow = buildWorkflow([
			{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
			{ name: TESTED, type: NODE_TYPE, parameters, credentials: CREDENTIALS },
		]);
		const run = await executeWorkflow(loaded, workflow, { ...credential }, signal);
		const { error, json } = toExecution(run);
		if (error === undefined) return { items: json(TESTED) };
		const { message, description, httpCode } = error;
		return { items: [], error: { message, description, httpCode } };
	};
}

import './n8nEnvironment.cts';
import { PollContext, TriggersAndPollers } from 'n8n-core';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { container } from './host.cts';
import type { ApiCredentials } from './credentials.cts';
import { singleNode } from './definition.cts';
import { withLog } from './log.cts';

export interface RunPollOptions {
	node?: string;
	parameters: INodeParameters;
	/** The `staticData` that the last poll returned. Empty for the first poll. */
	staticData?: Record<string, unknown>;
	/** "manual" is a test in the editor, "trigger" a poll of an active workflow. */
	mode?: 'trigger' | 'manual';
	credentials?: Partial<ApiCredentials>;
	timezone?: string;
	nodeName?: string;
	workflowId?: string;
	/** The time that n8n's durable scheduler gives a poll. Null for a version of n8n without it. */
	budget?: number | null;
}

export interface RunPollResult {
	items: INodeExecutionData[][] | null;
	/** The node's static data after the poll, as read from n8n's database, even after an error. */
	staticData: Record<string, unknown>;
	error?: Error;
	log: string[];
}

/**
 * Calls poll() of a polling trigger once, in n8n's own context. Does not throw when the poll does.
 * The static data is what the node wrote, even if it threw: n8n 2.41 drops that for
 * workflows it has migrated, older versions keep it.
 */
export async function runPoll(options: RunPollOptions): Promise<RunPollResult> {
	const single = await singleNode({ node: 'encryptedContainersTrigger', ...options });
	const { node, workflow } = single;
	const mode = options.mode ?? 'trigger';
	const activation = mode === 'manual' ? 'manual' : 'activate';
	const additionalData = single.additionalDataIn(mode);
	const context = new PollContext(workflow, node, additionalData, mode, activation);
	const { budget } = options;
	if (budget !== undefined) {
		Object.assign(context, { getPollBudgetMs: budget === null ? undefined : () => budget });
	}
	const written = () =>
		JSON.parse(JSON.stringify(workflow.getStaticData('node', node))) as Record<string, unknown>;

	return await withLog(async (log) => {
		try {
			const poller = container.get(TriggersAndPollers);
			const items = await poller.runPollFunction(workflow, node, context);
			return { items, staticData: written(), log };
		} catch (error) {
			return { items: null, staticData: written(), error: error as Error, log };
		}
	});
}

import './n8nEnvironment.cts';
import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	Workflow,
	type ExecutionStatus,
	type IConnections,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type IRun,
	type ITaskData,
	type NodeApiError,
	type OnError,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { additionalDataFor } from './host.cts';
import { binaryStore, workflowId } from './binary.cts';
import type { ApiCredentials } from './credentials.cts';
import { credentialReference, credentialsFor, workflowSettings } from './definition.cts';
import { withLog } from './log.cts';
import { loadPackage, onNodeError } from './package.cts';

export interface RunNodeOptions {
	/** Name of the node type, without the package's name. */
	node?: string;
	parameters: INodeParameters;
	/** The output of the previous node ("Input"). One empty item by default. */
	items?: INodeExecutionData[];
	credentials?: Partial<ApiCredentials>;
	/** The node's setting "On Error". */
	onError?: OnError;
	retryOnFail?: boolean;
	maxTries?: number;
	waitBetweenTries?: number;
	executeOnce?: boolean;
	/** How often the node runs in the execution, each time with all items. */
	runs?: number;
	/** The workflow's time zone, n8n's default (America/New_York) if it is missing. */
	timezone?: string;
	/** The workflow's setting for where files are, beside the JSON by default. */
	binaryMode?: 'combined';
	mode?: WorkflowExecuteMode;
	/** Expressions that the next node evaluates for each item, by name. */
	next?: Record<string, string>;
	/** Cancels the execution this many milliseconds after its start, like the button "Stop". */
	cancelAfterMs?: number;
	/** Cancels the execution when it is aborted. */
	signal?: AbortSignal;
}

export interface RunNodeResult {
	items: INodeExecutionData[];
	/** Items of the error output (onError: continueErrorOutput). */
	errorItems: INodeExecutionData[];
	/** What the node threw if that ended the execution: the object itself, not its record. */
	error?: NodeApiError;
	/** The node's own record, as stored with the execution. */
	run: ITaskData;
	/** The complete execution, as stored. */
	execution: IRun;
	status: ExecutionStatus;
	log: string[];
	/** Values of the expressions in `next` for each item, with `{ $error }` for a failed one. */
	next: IDataObject[];
	nextOfErrors: IDataObject[];
}

const tested = 'Tested';

let executions = 0;

function nodesFor(options: RunNodeOptions, packageName: string): INode[] {
	const { onError, retryOnFail, maxTries, waitBetweenTries, executeOnce } = options;
	const node = (name: string, type: string, parameters: INodeParameters, more = {}): INode => ({
		id: name,
		name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		...more,
	});
	const nodes = [
		node('Input', 'test.start', {}),
		node(tested, `${packageName}.${options.node ?? 'encryptedContainers'}`, options.parameters, {
			credentials: credentialReference,
			...{ onError, retryOnFail, maxTries, waitBetweenTries, executeOnce },
		}),
	];
	if (options.next !== undefined) {
		const parameters = { expressions: options.next };
		nodes.push(node('Next', 'test.next', parameters), node('Next Error', 'test.next', parameters));
	}
	return nodes;
}

function connectionsFor(options: RunNodeOptions): IConnections {
	const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
	const toTested = Array.from({ length: options.runs ?? 1 }, () => to(tested)).flat();
	const connections: IConnections = { Input: { main: [toTested] } };
	if (options.next !== undefined) connections[tested] = { main: [to('Next'), to('Next Error')] };
	return connections;
}

function failed(run: ITaskData, error: unknown): NodeApiError | undefined {
	return run.error === undefined ? undefined : ((error ?? run.error) as NodeApiError);
}

/**
 * Executes one node of the built package in n8n's real engine: a node "Input" with the items, the
 * node under test, and optionally a node that evaluates expressions for each item.
 * Does not throw when the node does: see `error`.
 */
export async function runNode(options: RunNodeOptions): Promise<RunNodeResult> {
	await binaryStore();
	const loaded = await loadPackage();
	const { name, nodeTypes } = loaded;
	const mode = options.mode ?? 'trigger';
	const settings = {
		...workflowSettings(options.timezone),
		...(options.binaryMode === undefined ? {} : { binaryMode: options.binaryMode }),
	};
	const nodes = nodesFor(options, name);
	const connections = connectionsFor(options);
	const definition = { id: workflowId, name: 'Test', nodes, connections, settings };
	const workflow = new Workflow({ ...definition, active: false, nodeTypes });
	const credentialsHelper = credentialsFor(loaded, options.credentials);
	executions += 1;
	const additionalData = additionalDataFor({
		credentialsHelper,
		executionId: `execution-${executions}`,
		mode,
		workflow: definition,
		settings,
	});
	const input = {
		node: workflow.getNode('Input') as INode,
		data: { main: [options.items ?? [{ json: {} }]] },
		source: null,
	};
	const data = createRunExecutionData({ executionData: { nodeExecutionStack: [input] } });
	let thrown: unknown;
	onNodeError(workflow, (error) => {
		thrown = error;
	});

	return await withLog(async (log) => {
		const running = new WorkflowExecute(additionalData, mode, data).processRunExecutionData(
			workflow,
		);
		const cancel = () => running.cancel();
		if (options.signal?.aborted === true) cancel();
		options.signal?.addEventListener('abort', cancel, { once: true });
		const timer =
			options.cancelAfterMs === undefined ? undefined : setTimeout(cancel, options.cancelAfterMs);
		try {
			const execution = await running;
			const { runData, error } = execution.data.resultData;
			const run = runData[tested]?.[0];
			if (run === undefined) {
				throw new Error(`The node did not run: ${error?.message ?? execution.status}`);
			}
			const outputs = run.data?.main ?? [];
			const json = (node: string) =>
				(runData[node]?.[0]?.data?.main[0] ?? []).map((item) => item.json);
			return {
				items: outputs[0] ?? [],
				errorItems: outputs[1] ?? [],
				error: failed(run, thrown),
				run,
				execution,
				status: execution.status,
				log,
				next: json('Next'),
				nextOfErrors: json('Next Error'),
			};
		} finally {
			clearTimeout(timer);
			options.signal?.removeEventListener('abort', cancel);
		}
	});
}

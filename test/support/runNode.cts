import './n8nEnvironment.cts';
import type {
	ExecutionStatus,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	IRun,
	ITaskData,
	NodeApiError,
	OnError,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { credentialReference } from './credentials.cts';
import { openFiles, withLog } from './host.cts';
import { loadPackage, onNodeError } from './package.cts';
import { createNode, createWorkflow, execute, type WorkflowOptions } from './workflow.cts';

export interface RunNodeOptions extends Pick<
	WorkflowOptions,
	'credentials' | 'executionId' | 'timezone' | 'binaryMode'
> {
	/** Name of the node type, without the package's name. */
	node?: string;
	parameters: INodeParameters;
	/** The output of the previous node ("Input"). One empty item by default. */
	items?: INodeExecutionData[];
	/** The node's setting "On Error". */
	onError?: OnError;
	retryOnFail?: boolean;
	maxTries?: number;
	waitBetweenTries?: number;
	executeOnce?: boolean;
	/** How often the node runs in the execution, each time with all items. */
	runs?: number;
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

const TESTED = 'Tested';

/** "Input" → the node under test → "Next" and "Next Error", if they have expressions. */
async function build(options: RunNodeOptions) {
	const { onError, retryOnFail, maxTries, waitBetweenTries, executeOnce, runs = 1 } = options;
	const { name: packageName } = await loadPackage();
	const type = `${packageName}.${options.node ?? 'encryptedContainers'}`;
	const tested = createNode(TESTED, type, {
		...{ parameters: options.parameters, credentials: credentialReference },
		...{ onError, retryOnFail, maxTries, waitBetweenTries, executeOnce },
	});
	const parameters = { expressions: options.next ?? {} };
	const next = ['Next', 'Next Error'].map((name) => createNode(name, 'test.next', { parameters }));
	const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
	const toTested = Array.from({ length: runs }, () => to(TESTED)).flat();
	return await createWorkflow({
		...options,
		nodes: [createNode('Input', 'test.start'), tested, ...(options.next ? next : [])],
		connections: {
			Input: { main: [toTested] },
			...(options.next && { [TESTED]: { main: [to('Next'), to('Next Error')] } }),
		},
	});
}

/**
 * Executes one node of the built package in n8n's real engine: a node "Input" with the items, the
 * node under test, and optionally a node that evaluates expressions for each item.
 * Does not throw when the node does: see `error`.
 */
export async function runNode(options: RunNodeOptions): Promise<RunNodeResult> {
	await openFiles();
	const created = await build(options);
	let thrown: unknown;
	onNodeError(created.workflow, (error) => (thrown = error));
	return await withLog(async (log) => {
		const running = execute(created, options.items, options.mode);
		const cancel = () => running.cancel();
		if (options.signal?.aborted) cancel();
		options.signal?.addEventListener('abort', cancel, { once: true });
		const { cancelAfterMs } = options;
		const timer = cancelAfterMs === undefined ? undefined : setTimeout(cancel, cancelAfterMs);
		const execution = await running.finally(() => {
			clearTimeout(timer);
			options.signal?.removeEventListener('abort', cancel);
		});
		const { runData, error } = execution.data.resultData;
		const run = runData[TESTED]?.[0];
		if (!run) throw new Error(`The node did not run: ${error?.message ?? execution.status}`);
		const [items, errorItems] = run.data?.main ?? [];
		const readJson = (node: string) =>
			(runData[node]?.[0]?.data?.main[0] ?? []).map(({ json }) => json);
		return {
			items: items ?? [],
			errorItems: errorItems ?? [],
			error: run.error && ((thrown ?? run.error) as NodeApiError),
			...{ run, execution, status: execution.status, log },
			next: readJson('Next'),
			nextOfErrors: readJson('Next Error'),
		};
	});
}

import type {
	IBinaryKeyData,
	IDataObject,
	INodeExecutionData,
	IRun,
	ITaskData,
} from 'n8n-workflow';

/** What came of an execution, however it was started. */
export interface Execution {
	status: string;
	/** The error that ended it; undefined when it ended well. */
	error?: ExecutionErrorJson;
	/** The items that a node put out; of its last run, the first output unless told otherwise. */
	items(node: string, output?: number): INodeExecutionData[];
	/** The same, only their JSON. */
	json(node: string, output?: number): IDataObject[];
	/** The files of a node's items. */
	binaries(node: string): IBinaryKeyData[];
	/** The error of a node that failed, whether or not that ended the execution. */
	errorOf(node: string): ExecutionErrorJson | undefined;
	/** All runs of all nodes, as n8n keeps them. */
	runData: Record<string, ITaskData[]>;
}

/** An error as it is kept with an execution. */
export interface ExecutionErrorJson {
	name?: string;
	message: string;
	description?: string | null;
	httpCode?: string | null;
	context?: IDataObject;
	messages?: string[];
}

/** Wraps the record of an execution, from the command line or the server, with ways to look into it. */
export function executionOf(run: Pick<IRun, 'data' | 'status'>): Execution {
	const { resultData } = run.data;
	const lastRun = (node: string): ITaskData => {
		const last = resultData.runData[node]?.at(-1);
		if (last) return last;
		const names = Object.keys(resultData.runData).join(', ');
		throw new Error(`The node "${node}" has not run. These have: ${names}.`);
	};
	const items = (node: string, output = 0) => lastRun(node).data?.main?.[output] ?? [];
	return {
		status: run.status,
		error: resultData.error as ExecutionErrorJson | undefined,
		runData: resultData.runData,
		items,
		json: (node, output) => items(node, output).map((item) => item.json),
		binaries: (node) => items(node).map((item) => item.binary ?? {}),
		errorOf: (node) => lastRun(node).error as ExecutionErrorJson | undefined,
	};
}

/**
 * Finds the record of an execution in what `n8n execute` printed: it is there after a success and,
 * among log lines, after a failure.
 * @throws when there is none
 */
export function executionFromOutput(output: string): Execution {
	const lines = output.split('\n');
	const start = lines.findIndex((line) => line.trimEnd() === '{');
	const end = lines.findLastIndex((line) => line.trimEnd() === '}');
	if (start < 0 || end < start)
		throw new Error(`n8n printed no execution:\n${output.slice(-4000)}`);
	return executionOf(JSON.parse(lines.slice(start, end + 1).join('\n')));
}

import type {
	IBinaryKeyData,
	IDataObject,
	INodeExecutionData,
	IRun,
	ITaskData,
} from 'n8n-workflow';

/** The result of an execution, from the command line or the server. */
export interface Execution {
	status: string;
	/** The error that ended it; undefined after a success. */
	error?: ExecutionErrorJson;
	/** The output items of a node's last run, from its first output by default. */
	items(node: string, output?: number): INodeExecutionData[];
	/** The JSON of these items. */
	json(node: string, output?: number): IDataObject[];
	/** The binary data of the items. */
	binaries(node: string): IBinaryKeyData[];
	/** All runs of all nodes, in n8n's format. */
	runData: Record<string, ITaskData[]>;
}

/** An error as n8n stores it with an execution. */
interface ExecutionErrorJson {
	name?: string;
	message: string;
	description?: string | null;
	httpCode?: string | null;
	context?: IDataObject;
	messages?: string[];
}

export function toExecution(run: Pick<IRun, 'data' | 'status'>): Execution {
	const { resultData } = run.data;
	const lastRun = (node: string): ITaskData => {
		const last = resultData.runData[node]?.at(-1);
		if (last) return last;
		const names = Object.keys(resultData.runData).join(', ');
		throw new Error(`The node "${node}" did not run. These nodes did: ${names}.`);
	};
	const items = (node: string, output = 0) => lastRun(node).data?.main?.[output] ?? [];
	return {
		status: run.status,
		error: resultData.error as ExecutionErrorJson | undefined,
		runData: resultData.runData,
		items,
		json: (node, output) => items(node, output).map((item) => item.json),
		binaries: (node) => items(node).map((item) => item.binary ?? {}),
	};
}

/**
 * Parses the execution in the output of `n8n execute`. After a failure there are log lines around it.
 * @throws when there is no execution
 */
export function parseExecution(output: string): Execution {
	const lines = output.split('\n');
	const start = lines.findIndex((line) => line.trimEnd() === '{');
	const end = lines.findLastIndex((line) => line.trimEnd() === '}');
	if (start < 0 || end < start)
		throw new Error(`n8n printed no execution:\n${output.slice(-4000)}`);
	return toExecution(JSON.parse(lines.slice(start, end + 1).join('\n')));
}

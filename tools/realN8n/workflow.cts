import { randomBytes } from 'node:crypto';
import type {
	IBinaryKeyData,
	IConnections,
	ICredentialDataDecryptedObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	IPinData,
	IRun,
	NodeApiError,
} from 'n8n-workflow';

export const NODE_TYPE = 'n8n-nodes-encrypted-containers.encryptedContainers';
export const TRIGGER_TYPE = 'n8n-nodes-encrypted-containers.encryptedContainersTrigger';
export const INSTANT_TRIGGER_TYPE =
	'n8n-nodes-encrypted-containers.encryptedContainersInstantTrigger';
export const CREDENTIAL_TYPE = 'encryptedContainersApi';

/** The first node of a workflow that is started by hand. */
export const START = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** A workflow as n8n imports and exports it. */
export interface WorkflowJson {
	id: string;
	name: string;
	active?: boolean;
	nodes: INode[];
	connections: IConnections;
	settings?: Record<string, unknown>;
	pinData?: IPinData;
}

/** A credential as n8n imports it; n8n then encrypts its data. */
export interface CredentialJson {
	id: string;
	name: string;
	type: string;
	data: ICredentialDataDecryptedObject;
}

/** A node for `buildWorkflow`. Everything that is left out has a default. */
export type NodeOptions = Partial<Omit<INode, 'parameters'>> &
	Pick<INode, 'name' | 'type'> & {
		parameters?: INodeParameters;
		/** Names of the connected nodes, by output; the next node in the list by default. */
		to?: string[][];
	};

/** An ID in n8n's format: 16 letters and digits. */
const newId = () => randomBytes(8).toString('hex');

/** Builds a workflow of nodes that are connected one after the other, or as their `to` says. */
export function buildWorkflow(
	nodes: NodeOptions[],
	options: Partial<Omit<WorkflowJson, 'nodes' | 'connections'>> = {},
): WorkflowJson {
	const connections: IConnections = {};
	const built = nodes.map(({ to, parameters = {}, ...node }, index) => {
		const outputs = to ?? (index + 1 < nodes.length ? [[nodes[index + 1].name]] : []);
		const main = outputs.map((names) =>
			names.map((name) => ({ node: name, type: 'main' as const, index: 0 })),
		);
		if (main.length > 0) connections[node.name] = { main };
		const position: INode['position'] = [index * 220, 0];
		return { id: newId(), typeVersion: 1, position, ...node, parameters };
	});
	const settings = { executionOrder: 'v1' };
	return { id: newId(), name: 'A workflow', settings, ...options, connections, nodes: built };
}

/** The result of an execution, from the command line or the server. */
export function toExecution({ data, status }: Pick<IRun, 'data' | 'status'>) {
	const { runData, error } = data.resultData;
	/** The output items of a node's last run, from its first output by default. */
	const items = (node: string, output = 0): INodeExecutionData[] => {
		const last = runData[node]?.at(-1);
		if (last) return last.data?.main?.[output] ?? [];
		const names = Object.keys(runData).join(', ');
		throw new Error(`The node "${node}" did not run. These nodes did: ${names}.`);
	};
	return {
		status: status as string,
		/** The error that ended it; undefined after a success. */
		error: error as NodeApiError | undefined,
		/** All runs of all nodes, in n8n's format. */
		runData,
		items,
		json: (node: string, output?: number) => items(node, output).map((item) => item.json),
		binaries: (node: string) => items(node).map((item): IBinaryKeyData => item.binary ?? {}),
	};
}

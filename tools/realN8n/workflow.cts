import type {
	IConnections,
	ICredentialDataDecryptedObject,
	INode,
	INodeParameters,
	IPinData,
} from 'n8n-workflow';

export const NODE_TYPE = 'n8n-nodes-encrypted-containers.encryptedContainers';
export const TRIGGER_TYPE = 'n8n-nodes-encrypted-containers.encryptedContainersTrigger';
export const CREDENTIAL_TYPE = 'encryptedContainersApi';

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

let count = 0;

/** Creates an ID in n8n's format: 16 letters and digits. */
function newId(prefix = 'id'): string {
	count += 1;
	return `${prefix}${Date.now().toString(36)}${count.toString(36)}`.padEnd(16, '0').slice(-16);
}

/** Builds a workflow of nodes that are connected one after the other, or as their `to` says. */
export function buildWorkflow(
	nodes: NodeOptions[],
	options: Partial<Omit<WorkflowJson, 'nodes' | 'connections'>> = {},
): WorkflowJson {
	const connections: IConnections = {};
	for (const [index, node] of nodes.entries()) {
		const next = nodes[index + 1];
		const outputs = node.to ?? (next ? [[next.name]] : []);
		const main = outputs.map((names) =>
			names.map((name) => ({ node: name, type: 'main' as const, index: 0 })),
		);
		if (main.length > 0) connections[node.name] = { main };
	}
	return {
		id: newId(),
		name: 'A workflow',
		settings: { executionOrder: 'v1' },
		...options,
		connections,
		nodes: nodes.map((node, index) => ({
			id: newId('node'),
			typeVersion: 1,
			position: [index * 220, 0],
			...withoutTo(node),
			parameters: node.parameters ?? {},
		})),
	};
}

function withoutTo(node: NodeOptions): Omit<NodeOptions, 'to'> {
	const copy = { ...node };
	delete copy.to;
	return copy;
}

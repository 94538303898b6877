import './environment.cts';
import { PackageDirectoryLoader, RoutingNode } from 'n8n-core';
import {
	NodeConnectionTypes,
	NodeHelpers,
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	type INodeTypes,
	type NodeOutput,
} from 'n8n-workflow';

export interface LoadedPackage {
	name: string;
	loader: PackageDirectoryLoader;
	nodeTypes: INodeTypes;
}

/** Is called with what a declarative node throws, and the workflow object of its execution, which has its own. */
type ErrorListener = (error: unknown, workflow: object) => void;

/**
 * Loads a package from its package.json, as n8n does.
 * @param others the other node types of the workflows, by name; those that are missing return their input
 */
export async function loadNodePackage(
	directory: string,
	others: Record<string, INodeType> = {},
	onError?: ErrorListener,
): Promise<LoadedPackage> {
	const loader = new PackageDirectoryLoader(directory);
	await loader.loadAll();
	const name = loader.packageName;
	const find = (type: string) => {
		if (!type.startsWith(`${name}.`)) return others[type] ?? passThrough;
		return loader.getNode(type.slice(name.length + 1)).type;
	};
	const nodeTypes: INodeTypes = {
		getByName: find,
		getByNameAndVersion: (type, version) => {
			const nodeType = NodeHelpers.getVersionedNodeType(find(type), version);
			attachExecute(nodeType, onError);
			return nodeType;
		},
		getKnownTypes: () => ({}),
	};
	return { name, loader, nodeTypes };
}

/**
 * Gives a declarative node the `execute` that n8n adds when it looks up a node: agents that call a tool by themselves use
 * it. n8n's engine runs the custom operations.
 */
function attachExecute(nodeType: INodeType, onError?: ErrorListener): void {
	if (nodeType.execute !== undefined || nodeType.poll !== undefined) return;
	if (nodeType.description.requestDefaults === undefined) return;
	nodeType.execute = async function (this: IExecuteFunctions) {
		const context = this as unknown as ConstructorParameters<typeof RoutingNode>[0];
		return (await new RoutingNode(context, nodeType).runNode()) ?? [];
	};
	nodeType.execute = withListener(nodeType.execute, onError);
	for (const operations of Object.values(nodeType.customOperations ?? {})) {
		for (const [name, execute] of Object.entries(operations)) {
			operations[name] = withListener(execute, onError);
		}
	}
}

type Execute = (this: IExecuteFunctions) => Promise<NodeOutput>;

function withListener(execute: Execute, onError?: ErrorListener): Execute {
	return async function (this: IExecuteFunctions) {
		try {
			return await execute.call(this);
		} catch (error) {
			onError?.(error, (this as unknown as { workflow: object }).workflow);
			throw error;
		}
	};
}

/** The description of a node that stands in for one of n8n's own. */
export const describeNode = (
	name: string,
	more: Partial<INodeTypeDescription> = {},
): INodeTypeDescription => ({
	displayName: name,
	name,
	group: ['input'],
	version: 1,
	description: '',
	defaults: { name },
	inputs: [NodeConnectionTypes.Main],
	outputs: [NodeConnectionTypes.Main],
	properties: [],
	...more,
});

/** Returns its input. */
export const passThrough: INodeType = {
	description: describeNode('passThrough'),
	async execute(this: IExecuteFunctions) {
		return [this.getInputData()];
	},
};

import './n8nEnvironment.cts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PackageDirectoryLoader, RoutingNode } from 'n8n-core';
import {
	NodeConnectionTypes,
	NodeHelpers,
	type IDataObject,
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	type INodeTypes,
	type NodeOutput,
} from 'n8n-workflow';

/** The root of the repository, which contains the package under test. */
export const repositoryRoot = join(__dirname, '..', '..');

export interface LoadedPackage {
	name: string;
	loader: PackageDirectoryLoader;
	nodeTypes: INodeTypes;
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
const passThrough: INodeType = {
	description: describeNode('passThrough'),
	async execute(this: IExecuteFunctions) {
		return [this.getInputData()];
	},
};

/** Evaluates the given expressions for each item, like any node after the one under test. */
const next: INodeType = {
	description: describeNode('next', {
		properties: [{ displayName: 'Expressions', name: 'expressions', type: 'json', default: {} }],
	}),
	async execute(this: IExecuteFunctions) {
		const names = Object.keys(this.getNode().parameters.expressions as IDataObject);
		const evaluate = (name: string, item: number) => {
			try {
				return this.getNodeParameter(`expressions.${name}`, item);
			} catch (error) {
				return { $error: (error as Error).message };
			}
		};
		const toJson = (item: number) =>
			Object.fromEntries(names.map((name) => [name, evaluate(name, item)])) as IDataObject;
		return [this.getInputData().map((_, item) => ({ json: toJson(item), pairedItem: { item } }))];
	},
};

/** In place of n8n's HTTP Request node, which can use any credential. */
const httpRequest: INodeType = { description: describeNode('httpRequest') };

/** The nodes around the one under test, by type name: the first is the one before it, called "Input". */
export const surroundingNodeTypes: Record<string, INodeType> = {
	'test.start': passThrough,
	'test.next': next,
	'n8n-nodes-base.httpRequest': httpRequest,
};

const errorListeners = new WeakMap<object, (error: unknown) => void>();

/** Calls `listener` with each error that the node under test throws in this workflow object. */
export const onNodeError = (workflow: object, listener: (error: unknown) => void) =>
	void errorListeners.set(workflow, listener);

/** Loads a package from its package.json, as n8n does. */
async function loadFrom(folder: string): Promise<LoadedPackage> {
	const loader = new PackageDirectoryLoader(folder);
	await loader.loadAll();
	const name = loader.packageName;
	const find = (type: string) => {
		if (!type.startsWith(`${name}.`)) return surroundingNodeTypes[type];
		return loader.getNode(type.slice(name.length + 1)).type;
	};
	const nodeTypes: INodeTypes = {
		getByName: find,
		getByNameAndVersion: (type, version) => {
			const nodeType = NodeHelpers.getVersionedNodeType(find(type), version);
			attachExecute(nodeType);
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
function attachExecute(nodeType: INodeType): void {
	if (nodeType.execute !== undefined || nodeType.poll !== undefined) return;
	if (nodeType.description.requestDefaults === undefined) return;
	nodeType.execute = async function (this: IExecuteFunctions) {
		const context = this as unknown as ConstructorParameters<typeof RoutingNode>[0];
		return (await new RoutingNode(context, nodeType).runNode()) ?? [];
	};
	nodeType.execute = withListener(nodeType.execute);
	for (const operations of Object.values(nodeType.customOperations ?? {})) {
		for (const [name, execute] of Object.entries(operations)) {
			operations[name] = withListener(execute);
		}
	}
}

type Execute = (this: IExecuteFunctions) => Promise<NodeOutput>;

function withListener(execute: Execute): Execute {
	return async function (this: IExecuteFunctions) {
		try {
			return await execute.call(this);
		} catch (error) {
			const { workflow } = this as unknown as { workflow: object };
			errorListeners.get(workflow)?.(error);
			throw error;
		}
	};
}

let loaded: Promise<LoadedPackage> | undefined;

/** Loads the built package, once. @throws when nothing was built */
export async function loadPackage(folder = repositoryRoot): Promise<LoadedPackage> {
	if (!existsSync(join(folder, 'dist'))) {
		throw new Error('Nothing was built: run "npm run build" first');
	}
	loaded ??= loadFrom(folder);
	return await loaded;
}

import './environment.cts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PackageDirectoryLoader, RoutingNode } from 'n8n-core';
import {
	NodeHelpers,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
} from 'n8n-workflow';
import { surroundingNodeTypes } from './surroundingNodeTypes.cts';

/** The root of the repository, which contains the package under test. */
export const repositoryRoot = join(__dirname, '..', '..');

export interface LoadedPackage {
	name: string;
	loader: PackageDirectoryLoader;
	nodeTypes: INodeTypes;
}

type ErrorListener = (error: unknown) => void;

const errorListeners = new WeakMap<object, ErrorListener>();

/** Calls `listener` with each error that the node under test throws in this workflow object. */
export function onNodeError(workflow: object, listener: ErrorListener): void {
	errorListeners.set(workflow, listener);
}

/**
 * Gives a declarative node the `execute` that n8n adds when it looks up a node. Without it, the
 * engine uses a shortcut that does not abort the requests of a cancelled execution.
 */
function attachExecute(nodeType: INodeType): void {
	if (nodeType.execute !== undefined || nodeType.poll !== undefined) return;
	if (nodeType.description.requestDefaults === undefined) return;
	nodeType.execute = async function (this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		try {
			const context = this as unknown as ConstructorParameters<typeof RoutingNode>[0];
			return (await new RoutingNode(context, nodeType).runNode()) ?? [];
		} catch (error) {
			errorListeners.get(workflowOf(this))?.(error);
			throw error;
		}
	};
}

/** The workflow object of an execution. Each execution has its own. */
function workflowOf(functions: IExecuteFunctions): object {
	return (functions as unknown as { workflow: object }).workflow;
}

async function load(directory: string): Promise<LoadedPackage> {
	if (!existsSync(join(directory, 'dist'))) {
		throw new Error(`Nothing was built in ${directory}: run "npm run build" first`);
	}
	const loader = new PackageDirectoryLoader(directory);
	await loader.loadAll();
	const prefix = `${loader.packageName}.`;
	const find = (name: string) => {
		const surrounding = surroundingNodeTypes[name];
		if (surrounding !== undefined) return surrounding;
		if (!name.startsWith(prefix)) throw new Error(`Unknown node type ${name}`);
		return loader.getNode(name.slice(prefix.length)).type;
	};
	const nodeTypes: INodeTypes = {
		getByName: find,
		getByNameAndVersion: (name, version) => {
			const nodeType = NodeHelpers.getVersionedNodeType(find(name), version);
			attachExecute(nodeType);
			return nodeType;
		},
		getKnownTypes: () => ({}),
	};
	return { name: loader.packageName, loader, nodeTypes };
}

const packages = new Map<string, Promise<LoadedPackage>>();

/**
 * Loads the built package of a directory from its package.json, as n8n does, once for each
 * directory. Throws when nothing was built.
 */
export async function loadPackage(directory = repositoryRoot): Promise<LoadedPackage> {
	const loaded = packages.get(directory) ?? load(directory);
	packages.set(directory, loaded);
	return await loaded;
}

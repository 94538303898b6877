import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type IDataObject, type IExecuteFunctions, type INodeType } from 'n8n-workflow';
import {
	describeNode,
	loadNodePackage,
	passThrough,
	type LoadedPackage,
} from '../../tools/engine/package.cts';

/** The root of the repository, which contains the package under test. */
export const repositoryRoot = join(__dirname, '..', '..');

function evaluate(functions: IExecuteFunctions, name: string, itemIndex: number): unknown {
	try {
		return functions.getNodeParameter(`expressions.${name}`, itemIndex);
	} catch (error) {
		return { $error: (error as Error).message };
	}
}

/** Evaluates the given expressions for each item, like any node after the one under test. */
const next: INodeType = {
	description: describeNode('next', {
		properties: [{ displayName: 'Expressions', name: 'expressions', type: 'json', default: {} }],
	}),
	async execute(this: IExecuteFunctions) {
		const names = Object.keys(this.getNode().parameters.expressions as IDataObject);
		return [
			this.getInputData().map((_, item) => ({
				json: Object.fromEntries(
					names.map((name) => [name, evaluate(this, name, item)]),
				) as IDataObject,
				pairedItem: { item },
			})),
		];
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

type ErrorListener = (error: unknown) => void;

const errorListeners = new WeakMap<object, ErrorListener>();

/** Calls `listener` with each error that the node under test throws in this workflow object. */
export function onNodeError(workflow: object, listener: ErrorListener): void {
	errorListeners.set(workflow, listener);
}

let loaded: Promise<LoadedPackage> | undefined;

/** Loads the built package, once. @throws when nothing was built */
export async function loadPackage(): Promise<LoadedPackage> {
	if (!existsSync(join(repositoryRoot, 'dist'))) {
		throw new Error('Nothing was built: run "npm run build" first');
	}
	loaded ??= loadNodePackage(repositoryRoot, surroundingNodeTypes, (error, workflow) =>
		errorListeners.get(workflow)?.(error),
	);
	return await loaded;
}

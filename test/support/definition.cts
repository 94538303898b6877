import './n8nEnvironment.cts';
import { ExecuteContext } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	Workflow,
	type INode,
	type INodeParameters,
	type IWorkflowSettings,
} from 'n8n-workflow';
import { additionalDataFor } from './host.cts';
import { workflowId } from './binary.cts';
import {
	credentialName,
	defaultCredentials,
	FixedCredentials,
	type ApiCredentials,
} from './credentials.cts';
import type { LoadedPackage } from './package.cts';
import { loadPackage } from './package.cts';

/** The node's reference to its credential in a saved workflow. */
export const credentialReference = { [credentialName]: { id: 'credential-1', name: 'Test' } };

export interface SingleNodeOptions {
	/** Type of the node, without the package's name unless it contains a dot. */
	node: string;
	/** Name of the node in the workflow. Its ID is always the same, as that of a copy can be. */
	nodeName?: string;
	/** ID of the workflow, where it is not that of the other tests. */
	workflowId?: string;
	typeVersion?: number;
	parameters: INodeParameters;
	credentials?: Partial<ApiCredentials>;
	timezone?: string;
	/** The node's static data after its last execution. */
	staticData?: Record<string, unknown>;
}

export interface SingleNode {
	node: INode;
	workflow: Workflow;
	loaded: LoadedPackage;
	credentialsHelper: FixedCredentials;
	additionalDataIn: (
		mode: Parameters<typeof additionalDataFor>[0]['mode'],
	) => ReturnType<typeof additionalDataFor>;
}

/** Settings of a workflow that was created today, with an optional time zone. */
export function workflowSettings(timezone?: string): IWorkflowSettings {
	return timezone === undefined ? { executionOrder: 'v1' } : { executionOrder: 'v1', timezone };
}

/** The package's credential with its values. */
export function credentialsFor(
	loaded: LoadedPackage,
	credentials?: Partial<ApiCredentials>,
): FixedCredentials {
	return new FixedCredentials(loaded.loader, { ...defaultCredentials, ...credentials });
}

/** A workflow of one node, for what n8n does outside of an execution. */
export async function singleNode(options: SingleNodeOptions): Promise<SingleNode> {
	const loaded = await loadPackage();
	const name = options.nodeName ?? 'Tested';
	const type = options.node.includes('.') ? options.node : `${loaded.name}.${options.node}`;
	const nodes: INode[] = [
		{
			id: 'Tested',
			name,
			type,
			typeVersion: options.typeVersion ?? 1,
			position: [0, 0],
			parameters: options.parameters,
			credentials: credentialReference,
		},
	];
	const settings = workflowSettings(options.timezone);
	const id = options.workflowId ?? workflowId;
	const definition = { id, name: 'Test', nodes, connections: {}, settings };
	const workflow = new Workflow({
		...definition,
		active: false,
		nodeTypes: loaded.nodeTypes,
		staticData: { [`node:${name}`]: structuredClone(options.staticData ?? {}) } as never,
	});
	const credentialsHelper = credentialsFor(loaded, options.credentials);
	return {
		node: workflow.getNode(name) as INode,
		workflow,
		loaded,
		credentialsHelper,
		additionalDataIn: (mode) =>
			additionalDataFor({
				credentialsHelper,
				executionId: 'execution-single',
				mode,
				workflow: definition,
				settings,
				currentNodeParameters: options.parameters,
			}),
	};
}

/** The context in which n8n executes the node for one empty item. */
export function contextOf({ node, workflow, additionalDataIn }: SingleNode): ExecuteContext {
	const mode = 'trigger';
	const main = [[{ json: {} }]];
	const executeData = { node, data: { main }, source: null };
	const runData = createEmptyRunExecutionData();
	const more = additionalDataIn(mode);
	return new ExecuteContext(
		workflow,
		node,
		more,
		mode,
		runData,
		0,
		main[0],
		{ main },
		executeData,
		[],
	);
}

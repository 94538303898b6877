import './n8nEnvironment.cts';
import {
	ExecuteContext,
	ExecutionLifecycleHooks,
	ExternalSecretsProxy,
	WorkflowExecute,
} from 'n8n-core';
import {
	createEmptyRunExecutionData,
	createRunExecutionData,
	Workflow,
	type IConnections,
	type ICredentialsHelper,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeTypes,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { credentialReference, fixCredentials, type ApiCredentials } from './credentials.cts';
import { container } from './host.cts';
import { loadPackage } from './package.cts';

export interface WorkflowOptions {
	nodes: INode[];
	connections?: IConnections;
	/** Those of the package and around it by default. */
	nodeTypes?: INodeTypes;
	/** ID of the execution, where it is not a new one. */
	executionId?: string;
	/** ID of the workflow, where it is not that of the other tests. */
	workflowId?: string;
	credentials?: Partial<ApiCredentials>;
	/** The workflow's time zone, n8n's default (America/New_York) if it is missing. */
	timezone?: string;
	/** The workflow's setting for where files are, beside the JSON by default. */
	binaryMode?: 'combined';
	/** What each node keeps between executions. */
	staticData?: Record<string, unknown>;
}

let executions = 0;

export const createNode = (name: string, type: string, more: Partial<INode> = {}): INode => ({
	...{ id: name, name, type, typeVersion: 1, position: [0, 0], parameters: {} },
	...more,
});

/** A workflow, and what n8n passes to an execution beside it. */
export async function createWorkflow(options: WorkflowOptions) {
	const { nodes, connections = {}, timezone, binaryMode, staticData = {} } = options;
	const loaded = await loadPackage();
	const settings = {
		executionOrder: 'v1' as const,
		...(timezone !== undefined && { timezone }),
		...(binaryMode !== undefined && { binaryMode }),
	};
	const id = options.workflowId ?? 'test-workflow';
	const definition = { id, name: 'Test', nodes, connections, settings };
	const workflow = new Workflow({
		...definition,
		active: false,
		nodeTypes: options.nodeTypes ?? loaded.nodeTypes,
		staticData: structuredClone(staticData) as never,
	});
	const credentialsHelper = fixCredentials(loaded.loader, options.credentials);
	const { executionId = `execution-${(executions += 1)}` } = options;
	const state = { active: false, activeVersionId: null, isArchived: false };
	const dates = { createdAt: new Date(), updatedAt: new Date() };
	const stored: IWorkflowBase = { ...definition, ...state, ...dates };
	// n8n builds links from valid URLs for each expression.
	const origin = 'http://localhost:5678';
	const additionalDataIn = (
		mode: WorkflowExecuteMode,
		currentNodeParameters?: INodeParameters,
	): IWorkflowExecuteAdditionalData => {
		const additionalData: Partial<IWorkflowExecuteAdditionalData> = {
			credentialsHelper: credentialsHelper as ICredentialsHelper,
			executionId,
			workflowId: id,
			hooks: new ExecutionLifecycleHooks(mode, executionId, stored),
			currentNodeExecutionIndex: 0,
			currentNodeParameters,
			workflowSettings: settings,
			variables: {},
			externalSecretsProxy: container.get(ExternalSecretsProxy),
			setExecutionStatus: () => undefined,
			logAiEvent: () => undefined,
			restApiUrl: `${origin}/rest`,
			instanceBaseUrl: `${origin}/`,
			formWaitingBaseUrl: `${origin}/form-waiting`,
			webhookWaitingBaseUrl: `${origin}/webhook-waiting`,
		};
		return additionalData as IWorkflowExecuteAdditionalData;
	};
	return { loaded, workflow, credentialsHelper, additionalDataIn };
}

type CreatedWorkflow = Awaited<ReturnType<typeof createWorkflow>>;

/** Executes a workflow from its node "Input", which gets these items. */
export function execute(
	{ workflow, additionalDataIn }: CreatedWorkflow,
	items: INodeExecutionData[] = [{ json: {} }],
	mode: WorkflowExecuteMode = 'trigger',
) {
	const node = workflow.getNode('Input') as INode;
	const nodeExecutionStack = [{ node, data: { main: [items] }, source: null }];
	const data = createRunExecutionData({ executionData: { nodeExecutionStack } });
	return new WorkflowExecute(additionalDataIn(mode), mode, data).processRunExecutionData(workflow);
}

/** A workflow of one node, for what n8n does outside of an execution. Its ID is always the same, as that of a copy can be. */
export async function singleNode({
	node: type,
	nodeName: name = 'Tested',
	parameters = {},
	staticData,
	...options
}: Omit<WorkflowOptions, 'nodes'> & {
	/** Type of the node, without the package's name unless it contains a dot. */
	node: string;
	nodeName?: string;
	parameters?: INodeParameters;
}) {
	const fullType = type.includes('.') ? type : `${(await loadPackage()).name}.${type}`;
	const more = { id: 'Tested', parameters, credentials: credentialReference };
	const created = await createWorkflow({
		...options,
		nodes: [createNode(name, fullType, more)],
		staticData: { [`node:${name}`]: staticData ?? {} },
	});
	const { workflow, additionalDataIn } = created;
	const node = workflow.getNode(name) as INode;
	const dataIn = (mode: WorkflowExecuteMode) => additionalDataIn(mode, parameters);
	return { ...created, node, additionalDataIn: dataIn };
}

/** The context in which n8n executes the node for one empty item. */
export function contextOf({
	node,
	workflow,
	additionalDataIn,
}: Awaited<ReturnType<typeof singleNode>>): ExecuteContext {
	const main = [[{ json: {} }]];
	const executeData = { node, data: { main }, source: null };
	const data = additionalDataIn('trigger');
	const runData = createEmptyRunExecutionData();
	const input = [main[0], { main }, executeData] as const;
	return new ExecuteContext(workflow, node, data, 'trigger', runData, 0, ...input, []);
}

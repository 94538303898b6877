import '../../support/n8nEnvironment.cts';
import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	NodeConnectionTypes,
	Workflow,
	type EngineResponse,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
} from 'n8n-workflow';
import { additionalDataFor } from '../../support/host.cts';
import type { ApiCredentials } from '../../support/credentials.cts';
import {
	credentialReference,
	credentialsFor,
	workflowSettings,
} from '../../support/definition.cts';
import { withLog } from '../../support/log.cts';
import { loadPackage, surroundingNodeTypes } from '../../support/package.cts';

interface Tool {
	name: string;
	description: string;
	schema: { safeParse(value: unknown): { success: boolean } };
	invoke(args: IDataObject): Promise<string>;
}

/** The tool as the agent sees it, and the results of its calls. */
export interface AgentResult {
	name?: string;
	description?: string;
	/** Whether the tool accepts these arguments. */
	accepts: (args: IDataObject) => boolean;
	/** The results of the calls for each input item. A failed call has the error's message. */
	results: string[][];
	log: string[];
}

export interface AgentOptions {
	/** Parameters of the node as a tool, with `$fromAI` where the model fills them in. */
	parameters: INodeParameters;
	/** Arguments of the calls for each input item, all at once. */
	calls: IDataObject[];
	items?: INodeExecutionData[];
	credentials?: Partial<ApiCredentials>;
	/** By itself if undefined. */
	way?: AgentWay;
	/** Settings of the tool's node. */
	settings?: Partial<INode>;
}

/** How an agent calls its tools: by itself, or by a request to n8n's engine. */
export type AgentWay = 'itself' | 'engine';

export const agentWays: AgentWay[] = ['itself', 'engine'];

/** An agent that lets n8n's engine run its tool for all calls. */
function requestingAgentType(calls: IDataObject[], results: string[][]): INodeType {
	return {
		description: agentType(calls, [], results).description,
		async execute(this: IExecuteFunctions, response?: EngineResponse) {
			const items = this.getInputData();
			const responses = response?.actionResponses ?? [];
			if (responses.length > 0) {
				const outputs = responses.map(({ data }) => {
					const [found = []] = Object.values(data.data ?? {});
					return data.error
						? `Error: ${data.error.message}`
						: JSON.stringify((found[0] ?? []).map(({ json }) => json));
				});
				results.push(
					...items.map((_item, index) =>
						outputs.slice(index * calls.length).slice(0, calls.length),
					),
				);
				return [items];
			}
			return {
				actions: items.flatMap((_item, itemIndex) =>
					calls.map((input, call) => ({
						actionType: 'ExecutionNodeAction' as const,
						nodeName: 'Encrypted Containers',
						input,
						type: NodeConnectionTypes.AiTool,
						id: `${itemIndex}-${call}`,
						metadata: { itemIndex },
					})),
				),
				metadata: {},
			};
		},
	};
}

/** An agent whose model only calls its one tool with the given arguments. */
function agentType(calls: IDataObject[], found: Tool[], results: string[][]): INodeType {
	return {
		description: {
			displayName: 'Agent',
			name: 'agent',
			group: ['transform'],
			version: 1,
			description: '',
			defaults: { name: 'Agent' },
			inputs: [NodeConnectionTypes.Main, { type: NodeConnectionTypes.AiTool, displayName: 'Tool' }],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute(this: IExecuteFunctions) {
			for (let index = 0; index < this.getInputData().length; index += 1) {
				const tools = (await this.getInputConnectionData(
					NodeConnectionTypes.AiTool,
					index,
				)) as Tool[];
				found.push(...tools);
				results.push(
					await Promise.all(
						calls.map(
							async (args) =>
								await tools[0].invoke(args).catch((error: Error) => `Error: ${error.message}`),
						),
					),
				);
			}
			return [this.getInputData()];
		},
	};
}

/** The node as n8n offers it to agents: no input, and a tool as output. */
function asTool(nodeType: INodeType): INodeType {
	return Object.assign(Object.create(nodeType) as INodeType, {
		description: {
			...nodeType.description,
			name: `${nodeType.description.name}Tool`,
			inputs: [],
			outputs: [NodeConnectionTypes.AiTool],
			properties: [
				{
					displayName: 'Tool Description',
					name: 'toolDescription',
					type: 'string',
					default: nodeType.description.description,
				},
				...nodeType.description.properties,
			],
		},
	});
}

/** Runs an agent in n8n's engine that has the node as a tool, and calls it. */
export async function runAgent(options: AgentOptions): Promise<AgentResult> {
	const { parameters, calls, items = [{ json: {} }], credentials } = options;
	const loaded = await loadPackage();
	const found: Tool[] = [];
	const results: string[][] = [];
	const agent =
		options.way === 'engine'
			? requestingAgentType(calls, results)
			: agentType(calls, found, results);
	const ownType = `${loaded.name}.encryptedContainers`;
	const tool = asTool(loaded.nodeTypes.getByNameAndVersion(ownType, 1));
	const types: Record<string, INodeType> = {
		...surroundingNodeTypes,
		agent,
		[`${ownType}Tool`]: tool,
	};
	const nodeTypes: INodeTypes = {
		getByName: (name) => types[name],
		getByNameAndVersion: (name) => types[name],
		getKnownTypes: () => ({}),
	};
	const node = (name: string, type: string, more: Partial<INode> = {}): INode => ({
		id: name,
		name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		...more,
	});
	const settings = workflowSettings();
	const definition = {
		id: 'agent-workflow',
		name: 'Agent',
		settings,
		nodes: [
			node('Input', 'test.start'),
			node('Agent', 'agent'),
			node('Encrypted Containers', `${ownType}Tool`, {
				parameters,
				credentials: credentialReference,
				...options.settings,
			}),
		],
		connections: {
			Input: { main: [[{ node: 'Agent', type: NodeConnectionTypes.Main, index: 0 }]] },
			'Encrypted Containers': {
				ai_tool: [[{ node: 'Agent', type: NodeConnectionTypes.AiTool, index: 0 }]],
			},
		},
	};
	const workflow = new Workflow({ ...definition, active: false, nodeTypes });
	const additionalData = additionalDataFor({
		credentialsHelper: credentialsFor(loaded, credentials),
		executionId: 'agent-execution',
		mode: 'trigger',
		workflow: definition,
		settings,
	});
	const start = {
		node: workflow.getNode('Input') as INode,
		data: { main: [items] },
		source: null,
	};
	const data = createRunExecutionData({ executionData: { nodeExecutionStack: [start] } });
	return await withLog(async (log) => {
		const execution = await new WorkflowExecute(
			additionalData,
			'trigger',
			data,
		).processRunExecutionData(workflow);
		const { error } = execution.data.resultData;
		if (error !== undefined) throw new Error(`The agent failed: ${error.message}`);
		return {
			name: found[0]?.name,
			description: found[0]?.description,
			accepts: (args) => found[0]?.schema.safeParse(args).success ?? false,
			results,
			log,
		};
	});
}

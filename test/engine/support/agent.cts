import '../../support/n8nEnvironment.cts';
import {
	NodeConnectionTypes,
	type EngineResponse,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
} from 'n8n-workflow';
import { credentialReference } from '../../support/credentials.cts';
import { withLog } from '../../support/host.cts';
import { describeNode, loadPackage, surroundingNodeTypes } from '../../support/package.cts';
import { createNode, createWorkflow, execute } from '../../support/workflow.cts';

interface Tool {
	invoke(args: IDataObject): Promise<string>;
}

export interface AgentOptions {
	/** Parameters of the node as a tool, with `$fromAI` where the model fills them in. */
	parameters: INodeParameters;
	/** Arguments of the calls for each input item, all at once. */
	calls: IDataObject[];
	items?: INodeExecutionData[];
	/** How the agent calls its tool: by itself, or by a request to n8n's engine. */
	way?: 'itself' | 'engine';
	/** Settings of the tool's node. */
	settings?: Partial<INode>;
}

const TOOL = 'Encrypted Containers';

/** An agent whose model only calls its one tool with the given arguments. The results are those of each item. */
function createAgent({ calls, way }: AgentOptions, results: string[][]): INodeType {
	const inputs = [
		NodeConnectionTypes.Main,
		{ type: NodeConnectionTypes.AiTool, displayName: 'Tool' },
	];
	const description = describeNode('agent', { inputs });
	async function callTool(this: IExecuteFunctions) {
		for (const index of this.getInputData().keys()) {
			const found = await this.getInputConnectionData(NodeConnectionTypes.AiTool, index);
			const [tool] = found as Tool[];
			results.push(await Promise.all(calls.map(async (args) => await tool.invoke(args))));
		}
		return [this.getInputData()];
	}
	async function requestCalls(this: IExecuteFunctions, response?: EngineResponse) {
		const items = this.getInputData();
		const outputs = (response?.actionResponses ?? []).map(({ data }) => {
			const [found = []] = Object.values(data.data ?? {});
			return JSON.stringify((found[0] ?? []).map(({ json }) => json));
		});
		if (outputs.length > 0) {
			items.forEach(() => results.push(outputs.splice(0, calls.length)));
			return [items];
		}
		const actions = items.flatMap((_item, itemIndex) =>
			calls.map((input, call) => ({
				...{ actionType: 'ExecutionNodeAction' as const, nodeName: TOOL, input },
				...{
					type: NodeConnectionTypes.AiTool,
					id: `${itemIndex}-${call}`,
					metadata: { itemIndex },
				},
			})),
		);
		return { actions, metadata: {} };
	}
	return { description, execute: way === 'engine' ? requestCalls : callTool };
}

/** The node as n8n offers it to agents: no input, and a tool as output. */
function asTool(nodeType: INodeType): INodeType {
	const { description } = nodeType;
	const toolDescription = {
		...{ displayName: 'Tool Description', name: 'toolDescription', type: 'string' as const },
		default: description.description,
	};
	return Object.assign(Object.create(nodeType) as INodeType, {
		description: {
			...{ ...description, name: `${description.name}Tool`, inputs: [] },
			outputs: [NodeConnectionTypes.AiTool],
			properties: [toolDescription, ...description.properties],
		},
	});
}

/** Runs an agent in n8n's engine that has the node as a tool, and calls it. */
export async function runAgent(options: AgentOptions) {
	const loaded = await loadPackage();
	const results: string[][] = [];
	const ownType = `${loaded.name}.encryptedContainers`;
	const types: Record<string, INodeType> = {
		...surroundingNodeTypes,
		agent: createAgent(options, results),
		[`${ownType}Tool`]: asTool(loaded.nodeTypes.getByNameAndVersion(ownType, 1)),
	};
	const find = (name: string) => types[name];
	const nodeTypes = { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) };
	const { parameters, settings } = options;
	const tool = { parameters, credentials: credentialReference, ...settings };
	const toAgent = (type: 'main' | 'ai_tool') => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
	const workflow = await createWorkflow({
		nodes: [
			createNode('Input', 'test.start'),
			createNode('Agent', 'agent'),
			createNode(TOOL, `${ownType}Tool`, tool),
		],
		connections: { Input: toAgent('main'), [TOOL]: toAgent('ai_tool') },
		nodeTypes,
	});
	return await withLog(async (log) => {
		const { error } = (await execute(workflow, options.items)).data.resultData;
		if (error !== undefined) throw new Error(`The agent failed: ${error.message}`);
		return { results, log };
	});
}

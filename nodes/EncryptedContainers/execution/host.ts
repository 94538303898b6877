import {
	NodeConnectionTypes,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IExecutePaginationFunctions,
	type IGetNodeParameterOptions,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import { CREDENTIAL } from '../../shared/client/connection';
import { hasExpression } from '../../shared/parameters/values';
import { Redactor } from '../../shared/responses/redact';

/** What n8n offers an operation in both ways to run it. */
export interface Host {
	context: IExecuteFunctions | IExecutePaginationFunctions;
	/** One copy: n8n makes a new one for each call of getNode. */
	node: INode;
	items: Map<number, INodeExecutionData>;
	/** The same object in each try (Retry On Fail). */
	tryKey: object;
	/** Whether an agent calls the node by itself, with one item and without n8n's engine. */
	isCalledByAgent: boolean;
	/** Whether n8n's RoutingNode runs the node: it adds all parameters, a password included, to any error but a NodeApiError. */
	isRouted: boolean;
	getParameter(name: string, itemIndex: number, fallback?: unknown): unknown;
	/** A field of it can be an expression. */
	getCredential(itemIndex: number): Promise<ICredentialDataDecryptedObject>;
	addHint(message: string): void;
}

/** Makes one plain line of any text. Secrets are hidden where a text comes from. */
const plain = new Redactor([]);

/** All items at once: n8n's engine runs the node (customOperations), also as the tool of an agent. */
export function createNodeHost(context: IExecuteFunctions): Host {
	return {
		context,
		node: context.getNode(),
		items: new Map(context.getInputData().entries()),
		tryKey: context.getExecuteData(),
		isCalledByAgent: false,
		isRouted: false,
		getParameter: evaluateConstantsOnce(context),
		getCredential: async (itemIndex) => await context.getCredentials(CREDENTIAL, itemIndex),
		addHint(message) {
			context.addExecutionHints({ message: plain.redactLine(message), location: 'outputPane' });
		},
	};
}

/** What contains no expression is the same for all items. */
function evaluateConstantsOnce(context: IExecuteFunctions): Host['getParameter'] {
	/** Undefined for what contains an expression. */
	const constants = new Map<string, { value: unknown } | undefined>();
	return (name, itemIndex, fallback) => {
		const constant = constants.get(name);
		if (constant !== undefined) return constant.value;
		const get = (options?: IGetNodeParameterOptions): unknown =>
			context.getNodeParameter(name, itemIndex, fallback, options);
		const value = get();
		if (!constants.has(name)) {
			const isConstant = !hasExpression(get({ rawExpressions: true }));
			constants.set(name, isConstant ? { value } : undefined);
		}
		return value;
	};
}

/** The one item of an agent that calls the tool by itself: n8n runs it as a declarative node (RoutingNode). */
export function createAgentHost(context: IExecutePaginationFunctions): Host {
	const node = context.getNode();
	const isCalledByAgent = context.getExecuteData().node.name !== node.name;
	const { AiTool, Main } = NodeConnectionTypes;
	const item = context.getInputData(0, isCalledByAgent ? AiTool : Main);
	return {
		context,
		node,
		items: new Map([[context.getItemIndex(), item]]),
		// The execution data is the agent's own there, so the arguments of the call stand for it.
		tryKey: isCalledByAgent ? item.json : context.getExecuteData(),
		isCalledByAgent,
		isRouted: true,
		getParameter: (name, _itemIndex, fallback) => context.getNodeParameter(name, fallback),
		getCredential: async () => await context.getCredentials(CREDENTIAL),
		addHint: () => undefined,
	};
}

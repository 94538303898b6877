import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INodeExecutionData,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { CREDENTIAL } from '../../shared/client/connection';
import { isExpression } from '../../shared/parameters/values';
import { Redactor } from '../../shared/responses/redact';
import { isObject } from '../../shared/responses/shapes';

/** Makes one plain line of any text. Secrets are hidden where a text comes from. */
const plain = new Redactor([]);

/** Writes a line to the log of n8n. */
export function logWarning(context: Host['context'], message: string): void {
	context.logger.warn(`"${context.getNode().name}": ${plain.redactLine(message)}`);
}

/** What n8n offers an operation in both ways to run it. */
export interface Host {
	readonly context: IExecuteFunctions | IExecutePaginationFunctions;
	/** The input items by index. */
	readonly items: ReadonlyMap<number, INodeExecutionData>;
	/** The same object in each try (Retry On Fail). */
	readonly tryKey: object;
	/** Whether an agent calls the node by itself, with one item and without n8n's engine. */
	readonly isCalledByAgent: boolean;
	/** Evaluates a parameter for an item. */
	getParameter(name: string, itemIndex: number, fallback?: unknown): unknown;
	getCredentials(type: string, itemIndex: number): Promise<ICredentialDataDecryptedObject>;
	/** Whether all items have the same credential. */
	hasFixedCredential(): Promise<boolean>;
	/** Shows a line above the output in the editor. */
	addHint(message: string): void;
}

/** All items at once: n8n's engine runs the node (customOperations), also as the tool of an agent. */
export function createNodeHost(context: IExecuteFunctions): Host {
	const { parameters } = context.getNode();
	const constants = new Map<string, unknown>();
	let isFixed: Promise<boolean> | undefined;
	return {
		context,
		items: new Map(context.getInputData().entries()),
		tryKey: context.getExecuteData(),
		isCalledByAgent: false,
		getParameter(name, itemIndex, fallback) {
			if (constants.has(name)) return constants.get(name);
			const value: unknown = context.getNodeParameter(name, itemIndex, fallback as object);
			if (!hasExpression(parameters[name])) constants.set(name, value);
			return value;
		},
		getCredentials: async (type, itemIndex) => await context.getCredentials(type, itemIndex),
		hasFixedCredential: async () => await (isFixed ??= findNoExpression(context)),
		addHint(message) {
			context.addExecutionHints({ message: plain.redactLine(message), location: 'outputPane' });
		},
	};
}

/**
 * Whether no field of the credential is an expression, so that it is the same for all items. Loading it takes about as
 * long as a request. n8n's public interface doesn't tell: where this can't look, each item loads it.
 */
async function findNoExpression(context: IExecuteFunctions): Promise<boolean> {
	const { additionalData } = context as { additionalData?: IWorkflowExecuteAdditionalData };
	const stored = context.getNode().credentials?.[CREDENTIAL];
	if (additionalData === undefined || stored === undefined) return false;
	const helper = additionalData.credentialsHelper;
	const [mode, data] = [context.getMode(), context.getExecuteData()];
	const raw = await helper.getDecrypted(additionalData, stored, CREDENTIAL, mode, data, true);
	return !Object.values(raw).some(hasExpression);
}

/** The one item of an agent that calls the tool by itself: n8n runs it as a declarative node (RoutingNode). */
export function createAgentHost(context: IExecutePaginationFunctions): Host {
	const isCalledByAgent = context.getExecuteData().node.name !== context.getNode().name;
	const item = context.getInputData(
		0,
		isCalledByAgent ? NodeConnectionTypes.AiTool : NodeConnectionTypes.Main,
	);
	return {
		context,
		items: new Map([[context.getItemIndex(), item]]),
		// The execution data is the agent's own there, so the arguments of the call stand for it.
		tryKey: isCalledByAgent ? item.json : context.getExecuteData(),
		isCalledByAgent,
		getParameter: (name, _itemIndex, fallback) => context.getNodeParameter(name, fallback),
		getCredentials: async (type) => await context.getCredentials(type),
		hasFixedCredential: async () => await Promise.resolve(true),
		addHint: () => undefined,
	};
}

/** Whether a parameter as the workflow stores it, or what a collection holds, is an expression. */
export function hasExpression(raw: unknown): boolean {
	return isObject(raw) ? Object.values(raw).some(hasExpression) : isExpression(raw);
}

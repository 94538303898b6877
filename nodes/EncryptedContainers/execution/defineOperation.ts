import type {
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IGetNodeParameterOptions,
	INodeProperties,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { CREDENTIAL } from '../../shared/client/connection';
import { optionsField, userIdOption } from '../../shared/descriptions/options';
import { hasExpression } from '../../shared/parameters/values';
import { Redactor } from '../../shared/responses/redact';
import type { Endpoint, Host } from './execution';
import { hasUserId, listPathFields } from './item';
import type { Operation } from './operation';
import { Run } from './run';

/** Makes one plain line of any text. Secrets are hidden where a text comes from. */
const plain = new Redactor([]);

type OperationDefinition<Input> = Operation<Input> & {
	name: string;
	value: string;
	action: string;
	description: string;
	endpoint: Endpoint;
	/** Fields beside those of the endpoint's path, or in place of one with its name. */
	fields?: INodeProperties[];
	/** Options beside those of the endpoint's path and of every operation. */
	options?: INodeProperties[];
};

export type OperationDescription = ReturnType<typeof defineOperation>;

/** Converts an operation to the forms in which n8n runs it: a custom operation, and one of a declarative node. */
export function defineOperation<Input>({
	endpoint,
	fields: ownFields = [],
	options = [],
	...definition
}: OperationDefinition<Input>) {
	const { name, value, action, description, responseTimeout } = definition;
	const pathFields = listPathFields(endpoint).filter(
		({ name: path }) => !ownFields.some((own) => own.name === path),
	);
	const userOption = hasUserId(endpoint) ? [userIdOption] : [];
	const optionsOfAll = optionsField([...options, ...userOption], responseTimeout);
	const fields = [...pathFields, ...ownFields, optionsOfAll];
	const operation = { ...definition, fields };
	const routing = {
		request: { method: endpoint.method, url: endpoint.path },
		operations: {
			// For agents that call the tool by themselves: n8n runs it as any declarative node then.
			async pagination(this: IExecutePaginationFunctions) {
				return await new Run(createAgentHost(this), endpoint, operation).execute();
			},
		},
	};
	return {
		option: { name, value, action, description, routing },
		fields,
		async execute(this: IExecuteFunctions) {
			return [await new Run(createNodeHost(this), endpoint, operation).execute()];
		},
	};
}

/** All items at once: n8n's engine runs the node (customOperations), also as the tool of an agent. */
function createNodeHost(context: IExecuteFunctions): Host {
	const node = context.getNode();
	/** Undefined for what contains an expression. */
	const constants = new Map<string, { value: unknown } | undefined>();
	return {
		context,
		node,
		items: new Map(context.getInputData().entries()),
		tryKey: context.getExecuteData(),
		isCalledByAgent: false,
		isRouted: false,
		getParameter(name, itemIndex, fallback) {
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
		},
		getCredential: async (itemIndex) => await context.getCredentials(CREDENTIAL, itemIndex),
		addHint(message) {
			context.addExecutionHints({ message: plain.redactLine(message), location: 'outputPane' });
		},
	};
}

/** The one item of an agent that calls the tool by itself: n8n runs it as a declarative node (RoutingNode). */
function createAgentHost(context: IExecutePaginationFunctions): Host {
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

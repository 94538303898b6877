import type { IExecuteFunctions, IExecutePaginationFunctions, INodeProperties } from 'n8n-workflow';

import { isOfUser, type Endpoint } from '../../shared/client/endpoints';
import { optionsField, userIdOption } from '../../shared/descriptions/options';
import { createAgentHost, createNodeHost } from './host';
import type { Operation } from './operation';
import { Run } from './run';

type OperationDefinition<Input> = Operation<Input> & {
	name: string;
	value: string;
	action: string;
	description: string;
	/** The request that the operation is for: of several, the one that changes something. */
	routing: { request: Endpoint };
	/** What else it can send, beside GET /me, which finds the user of the API key. */
	alsoSends?: Endpoint[];
	/** Fields beside those of the path. */
	fields?: INodeProperties[];
	/** Options beside User ID, where a path has one, and those of every operation. */
	options?: INodeProperties[];
};

export type OperationDescription = ReturnType<typeof defineOperation>;

/** Converts an operation to the forms in which n8n runs it: a custom operation, and one of a declarative node. */
export function defineOperation<Input>({
	routing: { request },
	alsoSends = [],
	pathFields = [],
	fields: ownFields = [],
	options = [],
	...definition
}: OperationDefinition<Input>) {
	const { name, value, action, description, responseTimeout } = definition;
	const requests = [request, ...alsoSends];
	const userOption = requests.some(isOfUser) ? [userIdOption] : [];
	const optionsOfAll = optionsField([...options, ...userOption], responseTimeout);
	const fields = [...pathFields, ...ownFields, optionsOfAll];
	const operation = { ...definition, pathFields, fields, requests };
	const operations = {
		// For agents that call the tool by themselves: n8n runs it as any declarative node then.
		async pagination(this: IExecutePaginationFunctions) {
			return await new Run(createAgentHost(this), operation).execute();
		},
	};
	return {
		option: { name, value, action, description, routing: { request, operations } },
		alsoSends,
		fields,
		async execute(this: IExecuteFunctions) {
			return [await new Run(createNodeHost(this), operation).execute()];
		},
	};
}

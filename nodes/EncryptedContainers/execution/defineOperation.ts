import type { IExecuteFunctions, IExecutePaginationFunctions, INodeProperties } from 'n8n-workflow';

import { optionsField, userIdOption } from '../../shared/descriptions/options';
import { listPathFields, needsUserId, type DeclaredRequest } from './declaredRequest';
import { createAgentHost, createNodeHost } from './host';
import type { Operation } from './operation';
import { Run } from './run';

type OperationDefinition<Input> = Operation<Input> & {
	name: string;
	value: string;
	action: string;
	description: string;
	/** The request that the operation is for: of several, the one that changes something. */
	routing: { request: DeclaredRequest };
	/** What else it can send, beside GET /me, which finds the user of the API key. */
	alsoSends?: DeclaredRequest[];
	/** Fields beside those of the paths, or in place of one with its name. */
	fields?: INodeProperties[];
	/** Options beside those of the paths and of every operation. */
	options?: INodeProperties[];
};

export type OperationDescription = ReturnType<typeof defineOperation>;

/** Converts an operation to the forms in which n8n runs it: a custom operation, and one of a declarative node. */
export function defineOperation<Input>({
	routing: { request },
	alsoSends = [],
	fields: ownFields = [],
	options = [],
	...definition
}: OperationDefinition<Input>) {
	const { name, value, action, description, responseTimeout } = definition;
	const requests = [request, ...alsoSends];
	const pathFields = listPathFields(requests);
	const addedFields = pathFields.filter((path) => !ownFields.some((own) => own.name === path.name));
	const userOption = needsUserId(requests) ? [userIdOption] : [];
	const optionsOfAll = optionsField([...options, ...userOption], responseTimeout);
	const fields = [...addedFields, ...ownFields, optionsOfAll];
	const operation = { ...definition, fields, requests };
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

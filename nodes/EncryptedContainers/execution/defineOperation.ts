import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import { optionsField } from '../../shared/descriptions/options';
import type { Operation } from './operation';
import type { Endpoint } from './pathParams';
import { formatPath, listPathParams } from './pathParams';
import { runItem } from './runItem';

/** An operation: how the editor shows it, its endpoint, and what it does with an item. */
export interface OperationDefinition<Prepared> extends Operation<Prepared> {
	name: string;
	value: string;
	/** What the nodes panel shows. */
	action: string;
	description: string;
	endpoint: Endpoint;
	/** Fields beside those of the endpoint's path. */
	fields?: INodeProperties[];
	/** Options beside those of the endpoint's path and of every operation. */
	options?: INodeProperties[];
}

/** An operation in the form of a node description. */
export interface OperationDescription {
	option: INodePropertyOptions;
	fields: INodeProperties[];
}

/**
 * Converts an operation to the form of a node description. n8n calls its function in place of its own pagination: the
 * only hook that can limit requests, retry, link items and turn errors into items (engine: RoutingNode). The field
 * "Resource" turns it on (unknownOperation).
 */
export function defineOperation<Prepared>({
	endpoint,
	fields = [],
	options = [],
	...definition
}: OperationDefinition<Prepared>): OperationDescription {
	const { name, value, action, description } = definition;
	const params = listPathParams(endpoint);
	const pathFields = params.filter(({ isOption }) => !isOption).map(({ field }) => field);
	const pathOptions = params.filter(({ isOption }) => isOption).map(({ field }) => field);
	return {
		option: {
			name,
			value,
			action,
			description,
			routing: {
				request: { method: endpoint.method, url: formatPath(endpoint) },
				operations: {
					async pagination(
						this: IExecutePaginationFunctions,
						requestData: DeclarativeRestApiSettings.ResultOptions,
					): Promise<INodeExecutionData[]> {
						return await runItem(this, endpoint, definition, requestData);
					},
				},
			},
		},
		fields: [
			...pathFields,
			...fields,
			optionsField([...options, ...pathOptions], definition.responseTimeout),
		],
	};
}

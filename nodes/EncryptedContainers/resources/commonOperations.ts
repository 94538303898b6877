import type { IDataObject } from 'n8n-workflow';

import type { ListDefinition, ListOptions } from '../../shared/api/lists';
import { fetchList } from '../../shared/api/lists';
import type { ServiceRequest } from '../../shared/client/client';
import type { RequestFailure } from '../../shared/errors/failure';
import { createInputError } from '../../shared/errors/nodeErrors';
import { parseBoolean, parseInteger, parseShortText } from '../../shared/parameters/scalars';
import type { ItemContext } from '../execution/itemContext';
import type { Operation, OperationContext } from '../execution/operation';
import type { PathParams } from '../execution/pathParams';

/** n8n passes the items of one input item as arguments of one call, which fails at about 125,000. */
export const MAX_RECORDS = 100_000;

/** Which entries of a list to return. */
export interface ListRequest {
	query: Array<[string, string]>;
	limit: number;
	matches?: (record: IDataObject) => boolean;
	needs?: ListOptions['needs'];
}

/** Returns one record unchanged. `action` states what the request does, in words that follow "to". */
export function getOne(action: string): Operation<PathParams> {
	return {
		prepare: (item) => item.getPathParams(),
		async send(operation, subject) {
			const { method } = operation.endpoint;
			const path = await operation.getPath();
			const request: ServiceRequest = { method, path, action, subject };
			return [await operation.client.requestObject(request, checkFields)];
		},
	};
}

/** Deletes one record, whatever body the service returns. `action` as in getOne. */
export function deleteOne(action: string): Operation<PathParams> {
	return {
		prepare: (item) => item.getPathParams(),
		async send(operation, subject) {
			const { endpoint, item, client } = operation;
			const { state } = item;
			await client.requestOptionalObject({
				method: endpoint.method,
				path: await operation.getPath(),
				action,
				subject,
				mayBeDone: state.isOutcomeUnknown,
				onUnknownOutcome: () => (state.isOutcomeUnknown = true),
			});
			const { containerId, contactEmail: email } = subject;
			return [{ deleted: true, ...(containerId === '' ? { email } : { containerId }) }];
		},
	};
}

/** A record has fields: without any, the response doesn't show that the record exists. */
function checkFields(record: IDataObject): RequestFailure | undefined {
	if (Object.keys(record).length > 0) return undefined;
	return { kind: 'unexpected', expected: 'a record', received: 'an empty JSON object' };
}

/** Returns the records of a list, in the order of the service. */
export function getMany(list: ListDefinition): Operation<ListRequest> {
	return {
		prepare: getListRequest,
		send: async (operation, request) => await fetchRecords(operation, list, request),
	};
}

/** @throws UserError for a limit or query that can't be used */
export function getListRequest(item: ItemContext): ListRequest {
	return { query: getQuery(item), limit: getLimit(item) };
}

/** @throws NodeOperationError for more records than n8n can handle */
export async function fetchRecords(
	operation: OperationContext,
	list: ListDefinition,
	request: ListRequest,
): Promise<IDataObject[]> {
	const userId = await operation.getUserId();
	const records = await fetchList(operation.client, list, userId, request);
	if (records.length > MAX_RECORDS) throw tooManyRecordsError(operation, records.length);
	return records;
}

function tooManyRecordsError({ item }: OperationContext, count: number): Error {
	return createInputError(item.context.getNode(), {
		message: `The list has ${count} entries, but n8n can handle at most ${MAX_RECORDS} for each input item`,
		description: `Turn off "Return All" and set "Limit" to at most ${MAX_RECORDS}, or filter the list with Options > Query Parameters if the service supports it.`,
		itemIndex: item.itemIndex,
	});
}

function getLimit(item: ItemContext): number {
	return parseBoolean(item.getParameter('returnAll'), 'Return All')
		? Number.POSITIVE_INFINITY
		: parseInteger(item.getParameter('limit'), 'Limit', 1);
}

function getQuery(item: ItemContext): Array<[string, string]> {
	const { query } = item.getOptions() as { query?: { parameters?: IDataObject[] } };
	const rows = query?.parameters?.map(({ name, value }): [string, string] => [
		parseShortText(name, 'Query Parameters > Name').trim(),
		parseShortText(value, 'Query Parameters > Value', 'url'),
	]);
	return rows?.filter(([name]) => name !== '') ?? [];
}

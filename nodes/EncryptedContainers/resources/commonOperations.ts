import type { IDataObject } from 'n8n-workflow';

import type { ListDefinition, ListOptions } from '../../shared/api/lists';
import { fetchList } from '../../shared/api/lists';
import type { ServiceRequest } from '../../shared/client/client';
import type { RequestFailure } from '../../shared/errors/failure';
import { createInputError } from '../../shared/errors/nodeErrors';
import { parseBoolean, parseInteger, parseShortText } from '../../shared/parameters/scalars';
import type { Item } from '../execution/item';
import type { Call, Operation } from '../execution/operation';
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
		parse: (item) => item.getPathParams(),
		async send(call, subject) {
			const request: ServiceRequest = {
				method: 'GET',
				path: await call.getPath(),
				action,
				subject,
			};
			return [await call.client.requestObject(request, checkFields)];
		},
	};
}

/** Deletes one record, whatever body the service returns. `action` as in getOne. */
export function deleteOne(action: string): Operation<PathParams> {
	return {
		parse: (item) => item.getPathParams(),
		async send(call, subject) {
			const { state } = call.item;
			await call.client.requestOptionalObject({
				method: 'DELETE',
				path: await call.getPath(),
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
		parse: getListRequest,
		send: async (call, request) => await fetchRecords(call, list, request),
	};
}

/** @throws UserError for a limit or query that can't be used */
export function getListRequest(item: Item): ListRequest {
	return { query: getQuery(item), limit: getLimit(item) };
}

/** @throws NodeOperationError for more records than n8n can handle */
export async function fetchRecords(
	call: Call,
	list: ListDefinition,
	request: ListRequest,
): Promise<IDataObject[]> {
	const userId = await call.getUserId();
	const records = await fetchList(call.client, list, userId, request);
	if (records.length > MAX_RECORDS) throw tooManyRecordsError(call.item, records.length);
	return records;
}

function tooManyRecordsError(item: Item, count: number): Error {
	return createInputError(item.host.context.getNode(), {
		message: `The list has ${count} entries, but n8n can handle at most ${MAX_RECORDS} for each input item`,
		description: `Turn off "Return All" and set "Limit" to at most ${MAX_RECORDS}, or filter the list with Options > Query Parameters if the service supports it.`,
		itemIndex: item.index,
	});
}

function getLimit(item: Item): number {
	return parseBoolean(item.getParameter('returnAll'), 'Return All')
		? Number.POSITIVE_INFINITY
		: parseInteger(item.getParameter('limit'), 'Limit', 1);
}

function getQuery(item: Item): Array<[string, string]> {
	const { query } = item.getOptions() as { query?: { parameters?: IDataObject[] } };
	const rows = query?.parameters?.map(({ name, value }): [string, string] => [
		parseShortText(name, 'Query Parameters > Name').trim(),
		parseShortText(value, 'Query Parameters > Value', 'url'),
	]);
	return rows?.filter(([name]) => name !== '') ?? [];
}

import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';

import { toRecord } from '../../shared/api/records';
import { parseInteger } from '../../shared/parameters/limits';
import type { Target } from '../execution/pathParams';
import { pathOf, readTarget } from '../execution/pathParams';
import { createInputError } from '../../shared/errors/nodeErrors';
import type { Call, Operation } from '../execution/defineOperation';
import { fetchAllPages } from '../../shared/client/paginate';

/** n8n takes the items of one input item as the arguments of one call, and its stack ends at some 125,000 of them. */
const MOST_RECORDS = 100_000;

interface Listing {
	target: Target;
	query: Array<[string, string]>;
	most: number;
}

/**
 * An operation that answers an item for each record of a list, in the service's order.
 *
 * @param action what it does, in words that follow "to"
 * @param nameOfBare the key under which an entry that is bare text is put
 */
export function getRecords(action: string, nameOfBare: string): Operation<Listing> {
	return {
		prepare(context, route) {
			return {
				target: readTarget(context, route),
				query: readQuery(context),
				most: readMost(context),
			};
		},
		async send(call, { target, query, most }) {
			const path = `${await pathOf(call, target)}${toQueryString(query)}`;
			const entries = await fetchAllPages(
				call.client,
				{ method: 'GET', path, action, subject: target },
				most,
			);
			if (entries.length > MOST_RECORDS) throw tooMany(call, entries.length);
			return entries.map((entry) => toRecord(entry, nameOfBare)).filter(isPresent);
		},
	};
}

function tooMany({ context, itemIndex }: Call, count: number): Error {
	return createInputError(context.getNode(), {
		message: `The list has ${count} entries, and n8n takes at most ${MOST_RECORDS} for one input item`,
		description: `Switch "Return All" off and set "Limit" to at most ${MOST_RECORDS}, or narrow the list with "Query Parameters" if the service offers a filter.`,
		itemIndex,
	});
}

function readMost(context: IExecutePaginationFunctions): number {
	const returnAll = context.getNodeParameter('returnAll', false) as boolean;
	return returnAll
		? Number.POSITIVE_INFINITY
		: parseInteger(context.getNodeParameter('limit', 50), 'Limit', 1);
}

function readQuery(context: IExecutePaginationFunctions): Array<[string, string]> {
	const { query } = context.getNodeParameter('options', {}) as {
		query?: { parameters?: Array<{ name?: unknown; value?: unknown }> };
	};
	return (query?.parameters ?? [])
		.map(({ name, value }): [string, string] => [String(name ?? '').trim(), String(value ?? '')])
		.filter(([name]) => name !== '');
}

function toQueryString(query: Array<[string, string]>): string {
	return query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
}

function isPresent(record: IDataObject | undefined): record is IDataObject {
	return record !== undefined;
}

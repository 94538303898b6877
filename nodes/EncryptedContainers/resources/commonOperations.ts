import { UserError, type IDataObject } from 'n8n-workflow';

import { fetchList, type ListDefinition, type ListOptions } from '../../shared/api/lists';
import { checkRecord, toContainerKey } from '../../shared/api/records';
import type { ServiceClient, ServiceRequest } from '../../shared/client/client';
import { RecentValues } from '../../shared/client/recentValues';
import { isNotFound, noteSentChange } from '../../shared/errors/nodeErrors';
import { toAddressKey } from '../../shared/parameters/addresses';
import { isExpression, shorten } from '../../shared/parameters/values';
import { parseQuery } from '../../shared/parameters/query';
import { parseBoolean, parseInteger, parseShortText } from '../../shared/parameters/scalars';
import { approvalNotice } from '../descriptions/commonFields';
import type { Item } from '../execution/item';
import type { Call, Operation } from '../execution/operation';
import type { PathParams } from '../execution/pathParams';
import { emptyError } from '../parameters/emptyError';

/** n8n passes the items of one input item as arguments of one call, which fails at about 125,000. */
const MAX_RECORDS = 100_000;

/** What this process deleted in the last ten minutes, or might have although a request failed. */
const deleted = new RecentValues<boolean>(600_000);

/** Returns one record unchanged. `action` states what the request does, in words that follow "to". */
export function getOne(action: string): Operation<PathParams> {
	return {
		parse: (item) => item.getPathParams(),
		async send(call, subject) {
			const path = await call.getPath();
			const request = { method: 'GET', path, action, subject } as const;
			return [await call.client.requestObject(request, (record) => checkRecord(record, subject))];
		},
	};
}

/** Deletes one record, whatever body the service returns. `action` as in getOne. */
export function deleteOne(action: string): Operation<PathParams> {
	return {
		fields: [approvalNotice],
		parse: (item) => item.getPathParams(),
		// The later one of two items for the same record finds it deleted.
		getKey: toRecordKey,
		async send(call, subject) {
			const { containerId, contactEmail: email } = subject;
			const path = await call.getPath();
			const userId = containerId === '' ? await call.getUserId() : '';
			const key = call.getSharedKey(`${userId} ${toRecordKey(subject)}`);
			const remember = () => deleted.set(key, true);
			const request = { path, action, subject, onUnknownOutcome: remember };
			await deleteRecord(call.client, request).catch((error: unknown) => {
				if (!isNotFound(error) || !deleted.get(key)) throw error;
			});
			remember();
			return [{ deleted: true, ...(containerId === '' ? { email } : { containerId }) }];
		},
	};
}

function toRecordKey({ containerId, contactEmail }: PathParams): string {
	return toContainerKey(containerId) || toAddressKey(contactEmail);
}

/**
 * Deletes a record. After a response with content, reading it must show that it is gone. @throws NodeApiError otherwise
 *
 * @param canBeGone whether it may be missing already: so a service may also answer a key that must not delete
 */
export async function deleteRecord(
	client: ServiceClient,
	request: Omit<ServiceRequest, 'method'>,
	canBeGone = false,
): Promise<void> {
	const deletion = { ...request, method: 'DELETE' } as const;
	const { isEmpty, message } = await client.requestChange(deletion).catch((error: unknown) => {
		if (!canBeGone || !isNotFound(error)) throw error;
		return { isEmpty: false, message: undefined };
	});
	if (isEmpty) return;
	request.onUnknownOutcome?.();
	const { path, subject = {} } = request;
	const look = { method: 'GET', path, action: 'check the deletion', subject } as const;
	const left = await client.requestObject(look).catch((error: Error) => {
		if (isNotFound(error)) return undefined;
		throw noteSentChange(error);
	});
	if (left === undefined) return;
	const record = subject.containerId === undefined ? 'contact' : 'container';
	const answer = message === undefined ? '' : ` with "${shorten(message)}"`;
	throw client.createError(deletion, {
		kind: 'unconfirmed',
		problem: `The ${record} is still there`,
		advice: `The service answered the deletion${answer}. It might delete the ${record} later: look for it with Get in a few minutes. If it is still there, check that the API key has the permission to delete it.`,
	});
}

export function getListOptions(item: Item): ListOptions {
	const returnsAll = parseBoolean(item.getParameter('returnAll'), 'Return All');
	return {
		query: parseQuery(item.getOptions()),
		limit: returnsAll ? undefined : parseInteger(item.getParameter('limit'), 'Limit', 1),
	};
}

/** @throws UserError for more records than n8n can handle */
export async function fetchRecords(call: Call, list: ListDefinition, options: ListOptions) {
	const acceptRest = (rest: string) => {
		// What a filter found says nothing of the rest.
		if (options.limit === undefined || options.matches !== undefined) return false;
		const hint = `There might be more entries, because ${rest}, but the service returned no link to them. If it has parameters for other pages, enter them in "Query Parameters".`;
		call.run.addHint(call.client.redactLine(hint));
		return true;
	};
	const userId = await call.getUserId();
	const records = await fetchList(call.client, list, userId, { ...options, acceptRest });
	if (records.length <= MAX_RECORDS) return records;
	const message = `The list has ${records.length} entries, but n8n can handle at most ${MAX_RECORDS} for each input item`;
	throw new UserError(message, {
		description: `Turn off "Return All" and set "Limit" to at most ${MAX_RECORDS}, or filter the list with Options > Query Parameters if the service supports it.`,
	});
}

/** @throws UserError when an expression returned nothing: all containers would be meant */
export function getNamePart(item: Item): string {
	const label = 'Name Contains';
	const { nameContains } = { nameContains: '', ...item.getOptions() };
	const part = parseShortText(nameContains, label).trim();
	const raw = item.getRawParameter('options') as IDataObject | undefined;
	if (part !== '' || !isExpression(raw?.nameContains)) return part;
	throw emptyError(
		label,
		'All containers would be meant. Enter a part of their names, or remove the option.',
	);
}

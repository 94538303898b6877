import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { toRecord } from '../../shared/api/records';
import { createInputError } from '../../shared/errors/nodeErrors';
import { ownUserOf, reachService } from '../../shared/client/session';
import { buildPath } from '../../shared/client/path';
import { fetchAllPages } from '../../shared/client/paginate';

/** A person waits for the list: better a message soon than an answer late. */
const PATIENCE = { maxConcurrent: 1, maxRetries: 1, timeout: 30_000 };

/** What a list to choose from is made of. */
export interface Search {
	/** The list end point, with `{userId}`. */
	url: string;
	/** What the request does, in words that follow "to". */
	action: string;
	/** Key for an entry that is bare text. */
	nameOfBare: string;
	filter?: string;
	/** The label and the value of a record; undefined leaves it out. */
	toChoice(record: IDataObject): { label: string; value: string } | undefined;
}

/**
 * Reads a list of the service for a resource locator.
 *
 * @param context the editor's request
 * @param search which list, and how its entries are shown
 * @returns the entries that match, each with the address of the user to whom it belongs
 * @throws NodeApiError or NodeOperationError in words for the user
 */
export async function searchRecords(
	context: ILoadOptionsFunctions,
	{ url, action, nameOfBare, filter, toChoice }: Search,
): Promise<INodeListSearchResult> {
	const service = await reachService(context, PATIENCE).catch(
		(error: Error & { description?: string }) => {
			throw createInputError(context.getNode(), error);
		},
	);
	const owner = chosenUser(context) ?? (await ownUserOf(service));
	const path = buildPath(url, { userId: owner.id }, { userId: 'User ID' });
	const entries = await fetchAllPages(
		service.client,
		{ method: 'GET', path, action },
		Number.POSITIVE_INFINITY,
	);
	const wanted = (filter ?? '').trim().toLowerCase();
	const results = entries.flatMap((entry) => {
		const record = toRecord(entry, nameOfBare);
		const choice = record === undefined ? undefined : toChoice(record);
		if (choice === undefined || !matches(choice, wanted)) return [];
		return [{ name: `${choice.label}, of ${owner.email ?? owner.id}`, value: choice.value }];
	});
	return { results };
}

function matches({ label, value }: { label: string; value: string }, wanted: string): boolean {
	return label.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted);
}

/** The user that the node works for, unless an expression decides on it, which the editor cannot know yet. */
function chosenUser(context: ILoadOptionsFunctions): { id: string; email?: string } | undefined {
	const options = context.getCurrentNodeParameter('options') as { userId?: unknown } | undefined;
	const userId = options?.userId;
	if (typeof userId !== 'string' || userId.trim() === '' || userId.startsWith('='))
		return undefined;
	return { id: userId.trim() };
}

import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import type { ListDefinition } from '../../shared/api/lists';
import { fetchList } from '../../shared/api/lists';
import { Limiter } from '../../shared/client/limiter';
import { parseId } from '../../shared/client/path';
import type { Session } from '../../shared/client/session';
import { createSession } from '../../shared/client/session';
import { userIdOption } from '../../shared/descriptions/options';
import { createInputError } from '../../shared/errors/nodeErrors';

/** A person waits for the list, so an early error is better than a late response. */
const MAX_RETRIES = 1;
const TIMEOUT = 30_000;

/** Converts a record to an entry of the picker; undefined omits it. */
export type ToChoice = (record: IDataObject) => { label: string; value: string } | undefined;

/**
 * Fetches a list for a resource locator. Each entry shows the email address of the user to whom it belongs.
 *
 * @param filter what the user typed, searched for in labels and values
 * @throws NodeApiError or NodeOperationError
 */
export async function searchList(
	context: ILoadOptionsFunctions,
	list: ListDefinition,
	toChoice: ToChoice,
	filter = '',
): Promise<INodeListSearchResult> {
	const session = await openSession(context);
	const client = session.createClient({
		context,
		maxRetries: MAX_RETRIES,
		requestOptions: { timeout: TIMEOUT },
	});
	const owner = getChosenUser(context) ?? (await session.getCurrentUser(client));
	const records = client.redact(await fetchList(client, list, owner.id));
	const wanted = filter.trim().toLowerCase();
	const results = records.flatMap((record) => {
		const choice = toChoice(record);
		if (choice === undefined || !matches(choice, wanted)) return [];
		return [{ name: `${choice.label}, of ${owner.email ?? owner.id}`, value: choice.value }];
	});
	return { results };
}

async function openSession(context: ILoadOptionsFunctions): Promise<Session> {
	try {
		return await createSession(context, new Limiter(1));
	} catch (error) {
		throw createInputError(context.getNode(), error as Error & { description?: string });
	}
}

function matches({ label, value }: { label: string; value: string }, wanted: string): boolean {
	return label.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted);
}

/** The user in the options, unless it is an expression, which the editor can't resolve. */
function getChosenUser(context: ILoadOptionsFunctions): { id: string; email?: string } | undefined {
	const options = context.getCurrentNodeParameter('options') as { userId?: unknown } | undefined;
	const userId = options?.userId;
	if (typeof userId !== 'string' || userId.trim() === '' || userId.startsWith('=')) {
		return undefined;
	}
	return { id: parseId(userId, userIdOption.displayName) };
}

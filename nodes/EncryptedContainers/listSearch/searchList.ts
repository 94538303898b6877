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
const MAX_SECONDS = 10;

/** What a picker lists. */
export interface Picker {
	list: ListDefinition;
	/** Converts a record to an entry of the picker; undefined omits it. */
	toChoice(record: IDataObject): { label: string; value: string } | undefined;
	/** The mode of the field in which the user enters the value instead. */
	manualMode: 'By ID' | 'By Email';
}

/**
 * Fetches a list for a resource locator. Each entry shows the email address of the user to whom it belongs.
 *
 * @param filter what the user typed, searched for in labels and values
 * @throws NodeApiError or NodeOperationError, also when the list is not complete in time
 */
export async function searchList(
	context: ILoadOptionsFunctions,
	picker: Picker,
	filter = '',
): Promise<INodeListSearchResult> {
	const signal = AbortSignal.timeout(MAX_SECONDS * 1000);
	const session = await openSession(context, signal);
	const client = session.createClient({
		context,
		maxRetries: MAX_RETRIES,
		deadline: Date.now() + MAX_SECONDS * 1000,
		// Longer than the list can take, whose own error says what to do.
		responseTimeout: 2 * MAX_SECONDS * 1000,
		cancelled: signal,
	});
	try {
		const owner = getChosenUser(context) ?? (await session.getCurrentUser(client));
		const records = client.redact(await fetchList(client, picker.list, owner.id));
		const wanted = filter.trim().toLowerCase();
		const results = records.flatMap((record) => {
			const choice = picker.toChoice(record);
			if (choice === undefined || !matches(choice, wanted)) return [];
			return [{ name: `${choice.label}, of ${owner.email ?? owner.id}`, value: choice.value }];
		});
		return { results };
	} catch (error) {
		throw signal.aborted ? tooSlowError(context, picker) : error;
	}
}

function tooSlowError(context: ILoadOptionsFunctions, { list, manualMode }: Picker): Error {
	return createInputError(context.getNode(), {
		message: `The service could not ${list.action} within ${MAX_SECONDS} seconds`,
		description: `The list is too long or the service is too slow to choose from the list. Set the field to ${manualMode} and enter the value, or try again later.`,
	});
}

async function openSession(context: ILoadOptionsFunctions, signal: AbortSignal): Promise<Session> {
	try {
		return await createSession(context, new Limiter(1, signal));
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

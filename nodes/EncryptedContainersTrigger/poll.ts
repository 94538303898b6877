import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, OperationalError, UserError } from 'n8n-workflow';

import { Pace } from '../shared/client/pace';
import { ResponseMemory } from '../shared/client/responseMemory';
import { createSession } from '../shared/client/session';
import { createApiError, hasStatus } from '../shared/errors/nodeErrors';
import { compare } from './diff';
import { getEvent } from './events';
import { MAX_SAMPLE_ITEMS, MAX_SAMPLE_RULES, PollFetcher } from './fetch';
import { getParameters } from './parameters';
import type { PollState } from './pollState';
import { createStateKey, getSeenIds, loadState, saveState, setSeenIds } from './pollState';
import { createOutOfTimeError, TimeBudget } from './timeBudget';
import type { TriggerEvent } from './types';

/** The contexts of the polls that run, by node and state. */
const running = new Map<string, object>();
const polledBefore = new WeakSet<object>();

/**
 * Returns an item for each event since the last poll, or null. A poll that fails saves nothing, so that the next one
 * finds the same events. A manual execution returns a sample and saves nothing.
 *
 * @throws NodeApiError for every error: n8n recognizes rate limits and rejected keys by its httpCode and failure
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	let redactText = (text: string) => text;
	try {
		// Older versions of n8n have no budget.
		const budget = new TimeBudget((context as Partial<IPollFunctions>).getPollBudgetMs?.());
		const event = getEvent(context.getNodeParameter('event'));
		const parameters = getParameters(context);
		const { maxConcurrent, maxRetries, responseTimeout } = parameters;
		const ending = new AbortController();
		const stop = (reason: unknown) => ending.abort(reason);
		const session = await createSession(context, new Pace(maxConcurrent, ending.signal));
		const { connection } = session;
		const memory = new ResponseMemory();
		const createClient = (retries: number) =>
			session.createClient({
				context,
				maxRetries: retries,
				responseTimeout,
				deadline: budget.end,
				chosenUser: parameters.userId,
				memory,
			});
		const client = createClient(maxRetries);
		redactText = (text) => client.redactText(text);
		const userId = parameters.userId ?? (await budget.get(session.getCurrentUser(client)));
		const watched = [event.option.value, connection.baseUrl, userId, event.stateKey?.(parameters)];
		const key = createStateKey(watched);
		const staticData = context.getWorkflowStaticData('node');
		const isSample = context.getMode() === 'manual';
		const state = isSample ? undefined : loadState(staticData, key);
		const fetcher = new PollFetcher({
			event,
			client,
			impatientClient: createClient(0),
			stop,
			budget,
			userId,
			parameters,
			isSample,
			state,
			warn: (text) => context.logger.warn(client.redactLine(`${context.getNode().name}: ${text}`)),
		});
		// By name, as n8n stores the state: copied nodes can have the same ID.
		const lock = JSON.stringify([context.getWorkflow().id, context.getNode().name, key]);
		const polling = isSample
			? fetchSample(event, fetcher).then(async (items) => await client.redact(items))
			: runAlone(lock, context, async () => {
					const { items, next } = await findEvents(event, fetcher, lock);
					const redacted = await client.redact(items);
					// The last step: what is saved counts as emitted.
					await saveState(staticData, key, next);
					return redacted;
				});
		const items = await polling
			.catch((error: unknown) => {
				// Perhaps the key belongs to another user by now: the next poll asks.
				if (hasStatus(error, '403') || hasStatus(error, '404')) session.forgetUser();
				throw error;
			})
			// What still waits, where the time was over.
			.finally(() => stop(createOutOfTimeError()));
		return items.length === 0 ? null : [items.map((json) => ({ json }))];
	} catch (error) {
		throw toApiError(context, error, redactText);
	}
}

/** Returns the items of the events since the last poll, and what to save for the next one. */
async function findEvents(
	event: TriggerEvent,
	fetcher: PollFetcher,
	trigger: string,
): Promise<{ items: IDataObject[]; next: PollState }> {
	const { state, parameters } = fetcher.options;
	const reading = await event.fetch(fetcher);
	const { includeExisting } = parameters;
	const { items, missing, known } = await compare(event, state, reading, includeExisting);
	const { listed, readUntil, failed = [] } = reading;
	const seenIds = event.toDeletedItem === undefined ? getSeenIds(trigger) : undefined;
	const getId = (saved: string) => (seenIds === undefined ? saved : seenIds.get(saved));
	const ids = [...missing.keys()].flatMap((saved) => getId(saved) ?? []);
	const { deleted, existing } = await fetcher.confirmDeleted(ids);
	const kept = [...missing].filter(([saved]) => !deleted.has(getId(saved) ?? ''));
	for (const [saved, content] of missing) {
		if (deleted.has(saved) && event.toDeletedItem) items.push(event.toDeletedItem(saved, content));
	}
	// Those that exist go to the end, so that the next poll looks for others first.
	const isExisting = ([saved]: [string, string]) => Number(existing.has(getId(saved) ?? ''));
	kept.sort((a, b) => isExisting(a) - isExisting(b));
	for (const [saved, content] of kept) {
		known.set(saved, content);
		const id = seenIds?.get(saved);
		if (id !== undefined) listed.set(saved, id);
	}
	if (seenIds !== undefined) setSeenIds(trigger, listed);
	return { items, next: { known, readUntil, failed } };
}

async function fetchSample(event: TriggerEvent, fetcher: PollFetcher): Promise<IDataObject[]> {
	const { snapshots } = await event.fetch(fetcher);
	const found = snapshots.slice(0, MAX_SAMPLE_ITEMS);
	const { sample } = event;
	if (found.length > 0)
		return found.map(({ toItem }) => Object.assign({ sample }, toItem(), { sample }));
	throw new UserError(event.nothingToShow, {
		description: `A test shows what exists now, and reads the rules of at most ${MAX_SAMPLE_RULES} containers. Create a matching container or contact and test again, or activate the workflow to wait for events.`,
	});
}

/**
 * Runs a poll unless the last one of the same node still runs, which can happen when the service is slow: its state must
 * not be overwritten, and null would look like a poll without news.
 *
 * n8n polls with one context as long as a workflow is active (its durable scheduler with a new one each time). Where the
 * running poll belongs to a context that polled before, and this is another one, the workflow was activated again: n8n
 * discards the result of the running poll, and an error would prevent the activation.
 */
export async function runAlone<T>(
	lock: string,
	context: object,
	task: () => Promise<T>,
): Promise<T> {
	const other = running.get(lock);
	if (other !== undefined && (other === context || !polledBefore.has(other))) {
		throw createStillRunningError();
	}
	running.set(lock, context);
	try {
		return await task();
	} finally {
		polledBefore.add(context);
		if (running.get(lock) === context) running.delete(lock);
	}
}

function createStillRunningError(): OperationalError {
	return new OperationalError('The previous poll is still running', {
		description:
			'The trigger skipped this poll. The next one finds the same events. If this happens often, set longer poll times, use a name filter, or raise "Max Concurrent Requests" in the options.',
	});
}

function toApiError(
	context: IPollFunctions,
	error: unknown,
	redactText: (text: string) => string,
): NodeApiError {
	if (error instanceof NodeApiError) return error;
	const { message, description } = error as Error & { description?: string };
	const cause = error instanceof UserError ? 'configuration-invalid' : 'temporarily-unavailable';
	return createApiError(context.getNode(), {
		message: redactText(message),
		description: description && redactText(description),
		failure: { cause },
	});
}

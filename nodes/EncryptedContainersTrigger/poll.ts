import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, UserError } from 'n8n-workflow';

import { Limiter } from '../shared/client/limiter';
import { createSession } from '../shared/client/session';
import { createApiError } from '../shared/errors/nodeErrors';
import { getEvent } from './events';
import { PollFetcher } from './fetch';
import type { TriggerParameters } from './parameters';
import { getParameters } from './parameters';
import { createStateKey, loadState, saveState } from './pollState';
import type { Snapshot, TriggerEvent } from './types';

/** Milliseconds without data after which a request is given up. */
const TIMEOUT = 60_000;

const MAX_SAMPLE_ITEMS = 5;

interface Poll {
	event: TriggerEvent;
	parameters: TriggerParameters;
	stateKey: string;
	fetchSnapshots(isSample: boolean, hadRecords: boolean): Promise<Snapshot[]>;
}

const running = new Set<string>();

/**
 * Returns an item for each event since the last poll, or null. A poll that fails saves nothing, so that the next one
 * finds the same events. A manual execution returns a sample and saves nothing.
 *
 * @throws NodeApiError for every error: n8n recognizes rate limits and rejected keys by its httpCode
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	try {
		const event = getEvent(context.getNodeParameter('event', ''));
		const parameters = getParameters(context);
		const { maxConcurrent, maxRetries } = parameters;
		const session = await createSession(context, new Limiter(maxConcurrent));
		const { connection, limiter } = session;
		const requestOptions = { timeout: TIMEOUT };
		const client = session.createClient({ context, maxRetries, requestOptions });
		const userId = parameters.userId ?? (await session.getCurrentUser(client)).id;
		const watched = [event.option.value, connection.baseUrl, userId, ...event.stateKey(parameters)];
		const current: Poll = {
			event,
			parameters,
			stateKey: createStateKey(watched),
			fetchSnapshots: async (isSample, hadRecords) =>
				await event.fetch(
					new PollFetcher(client, limiter, userId, parameters, isSample, hadRecords),
				),
		};
		const items =
			context.getMode() === 'manual'
				? await fetchSample(current)
				: await findEvents(context, current);
		return items.length === 0 ? null : [client.redact(items).map((json) => ({ json }))];
	} catch (error) {
		throw toApiError(context, error);
	}
}

async function findEvents(context: IPollFunctions, current: Poll): Promise<IDataObject[]> {
	const { event, stateKey: key } = current;
	const name = JSON.stringify([context.getWorkflow().id, context.getNode().id, key]);
	const items = await skipIfRunning(name, async () => {
		const staticData = context.getWorkflowStaticData('node');
		const state = loadState(staticData, key);
		const snapshots = await current.fetchSnapshots(false, state !== undefined && state.length > 0);
		const found =
			state === undefined
				? getExisting(current, snapshots)
				: event.comparison.diff(state, snapshots);
		saveState(staticData, key, event.comparison.toState(snapshots));
		return found;
	});
	return items ?? [];
}

async function fetchSample(current: Poll): Promise<IDataObject[]> {
	const snapshots = await current.fetchSnapshots(true, false);
	if (snapshots.length > 0) return snapshots.slice(0, MAX_SAMPLE_ITEMS).map(toExistingItem);
	throw new UserError(current.event.nothingToShow, {
		description:
			'A test shows what exists now. Create a matching container or contact and test again, or activate the workflow to wait for events.',
	});
}

function getExisting({ event, parameters }: Poll, snapshots: Snapshot[]): IDataObject[] {
	return parameters.includeExisting && event.canIncludeExisting
		? snapshots.map(toExistingItem)
		: [];
}

/** The item for an existing record: all its fingerprints count as changed. */
function toExistingItem({ fingerprints = {}, toItem }: Snapshot): IDataObject {
	return toItem(Object.keys(fingerprints).filter((name) => fingerprints[name] !== ''));
}

/**
 * Runs a task, or returns null if it is already running. Polls overlap when the service is slow or asks to wait, and an
 * earlier poll must not overwrite the state of a later one.
 */
export async function skipIfRunning<T>(name: string, task: () => Promise<T>): Promise<T | null> {
	if (running.has(name)) return null;
	running.add(name);
	try {
		return await task();
	} finally {
		running.delete(name);
	}
}

function toApiError(context: IPollFunctions, error: unknown): NodeApiError {
	if (error instanceof NodeApiError) return error;
	const { message, description } = error as Error & { description?: string };
	return createApiError(context.getNode(), { message, description });
}

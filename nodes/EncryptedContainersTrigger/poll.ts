import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, UserError } from 'n8n-workflow';

import { createApiError } from '../shared/errors/nodeErrors';
import { ownUserOf, reachService } from '../shared/client/session';
import { skipIfRunning } from './skipIfRunning';
import { createStateKey, loadState, saveState } from './pollState';
import { Fetcher } from './fetch';
import { getParameters } from './parameters';
import type { TriggerParameters } from './parameters';
import type { Snapshot } from './types';
import type { Service } from '../shared/client/session';

/** Milliseconds without a sign of life after which a request is given up. */
const TIMEOUT = 60_000;

const MAX_SAMPLE_ITEMS = 5;

/**
 * Looks once for what happened since the last poll.
 *
 * Everything is read first; only then is it remembered, so that a poll that fails changes nothing and the next one finds
 * the same. A manual run shows a sample and remembers nothing.
 *
 * @param context the poll
 * @returns an item for each event, or null when nothing happened
 * @throws NodeApiError whatever went wrong: n8n tells limits and refused keys apart by its httpCode
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	try {
		const settings = getParameters(context);
		const service = await reachService(context, { ...settings, timeout: TIMEOUT });
		const userId = settings.userId ?? (await ownUserOf(service)).id;
		const items =
			context.getMode() === 'manual'
				? await fetchSample(service, userId, settings)
				: await findEvents(context, service, userId, settings);
		return items.length === 0 ? null : [items.map((json) => ({ json }))];
	} catch (error) {
		throw toApiError(context, error);
	}
}

async function findEvents(
	context: IPollFunctions,
	service: Service,
	userId: string,
	settings: TriggerParameters,
): Promise<IDataObject[]> {
	const { event } = settings;
	const { baseUrl } = service.connection;
	const key = createStateKey([event.option.value, baseUrl, userId, ...event.stateKey(settings)]);
	const name = JSON.stringify([context.getWorkflow().id, context.getNode().id, key]);
	const items = await skipIfRunning(name, async () => {
		const staticData = context.getWorkflowStaticData('node');
		const known = loadState(staticData, key);
		const knewSome = known !== undefined && known.length > 0;
		const subjects = await event.fetch(new Fetcher(service, userId, settings, false, knewSome));
		const found =
			known === undefined
				? getExisting(settings, subjects)
				: event.comparison.diff(known, subjects);
		saveState(staticData, key, event.comparison.toState(subjects));
		return found;
	});
	return items ?? [];
}

function getExisting(
	{ event, includeExisting }: TriggerParameters,
	subjects: Snapshot[],
): IDataObject[] {
	return includeExisting && event.canIncludeExisting ? subjects.map(show) : [];
}

async function fetchSample(
	service: Service,
	userId: string,
	settings: TriggerParameters,
): Promise<IDataObject[]> {
	const { event } = settings;
	const subjects = await event.fetch(new Fetcher(service, userId, settings, true, false));
	if (subjects.length > 0) return subjects.slice(0, MAX_SAMPLE_ITEMS).map(show);
	throw new UserError(event.nothingToShow, {
		description:
			'A test shows what exists now. Make something of the kind and test again, or activate the workflow: it then waits for events.',
	});
}

/** The item of what is just there: every facet that it has counts as changed. */
function show({ fingerprints = {}, toItem }: Snapshot): IDataObject {
	return toItem(Object.keys(fingerprints).filter((name) => fingerprints[name] !== ''));
}

function toApiError(context: IPollFunctions, error: unknown): NodeApiError {
	if (error instanceof NodeApiError) return error;
	const { message, description } = error as Error & { description?: string };
	return createApiError(context.getNode(), { message, description });
}

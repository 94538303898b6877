import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, UserError } from 'n8n-workflow';

import { apiError } from '../shared/run/nodeErrors';
import { ownUserOf, reachService } from '../shared/run/service';
import { alone } from './alone';
import { memoryKey, recall, remember } from './memory';
import { Reader } from './reading/reader';
import { readSettings } from './settings';
import type { Settings } from './settings';
import type { Subject } from './events/event';
import type { Service } from '../shared/run/service';

/** Milliseconds without a sign of life after which a request is given up. */
const TIMEOUT = 60_000;

const MOST_IN_A_SAMPLE = 5;

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
export async function pollService(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	try {
		const settings = readSettings(context);
		const service = await reachService(context, { ...settings, timeout: TIMEOUT });
		const userId = settings.userId ?? (await ownUserOf(service)).id;
		const items =
			context.getMode() === 'manual'
				? await takeSample(service, userId, settings)
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
	settings: Settings,
): Promise<IDataObject[]> {
	const { event } = settings;
	const { baseUrl } = service.connection;
	const key = memoryKey([event.option.value, baseUrl, userId, ...event.dependsOn(settings)]);
	const name = JSON.stringify([context.getWorkflow().id, context.getNode().id, key]);
	const items = await alone(name, async () => {
		const staticData = context.getWorkflowStaticData('node');
		const known = recall(staticData, key);
		const knewSome = known !== undefined && known.length > 0;
		const subjects = await event.look(new Reader(service, userId, settings, false, knewSome));
		const found =
			known === undefined ? existing(settings, subjects) : event.comparison.since(known, subjects);
		remember(staticData, key, event.comparison.remember(subjects));
		return found;
	});
	return items ?? [];
}

function existing({ event, includeExisting }: Settings, subjects: Subject[]): IDataObject[] {
	return includeExisting && event.canIncludeExisting ? subjects.map(show) : [];
}

async function takeSample(
	service: Service,
	userId: string,
	settings: Settings,
): Promise<IDataObject[]> {
	const { event } = settings;
	const subjects = await event.look(new Reader(service, userId, settings, true, false));
	if (subjects.length > 0) return subjects.slice(0, MOST_IN_A_SAMPLE).map(show);
	throw new UserError(event.nothingToShow, {
		description:
			'A test shows what exists now. Make something of the kind and test again, or activate the workflow: it then waits for events.',
	});
}

/** The item of what is just there: every facet that it has counts as changed. */
function show({ facets = {}, toItem }: Subject): IDataObject {
	return toItem(Object.keys(facets).filter((name) => facets[name] !== ''));
}

function toApiError(context: IPollFunctions, error: unknown): NodeApiError {
	if (error instanceof NodeApiError) return error;
	const { message, description } = error as Error & { description?: string };
	return apiError(context.getNode(), { message, description });
}

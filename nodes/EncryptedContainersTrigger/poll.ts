import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, UserError } from 'n8n-workflow';

import { sortNewestFirst } from '../shared/api/creation';
import { createApiError } from '../shared/errors/nodeErrors';
import { createPoll, type Poll } from './createPoll';
import { fetchActivitySample, pollActivity } from './activity';
import { compare } from './compare';
import { readList } from './readList';
import { MAX_SAMPLE_ITEMS, MAX_SAMPLE_RULES } from './readRules';
import { saveState } from './pollState';
import type { ListEvent } from './types';

const running = new Set<string>();

/**
 * Returns an item for each event since the last poll, or null. A poll that fails saves nothing, so that the next one
 * finds the same events. A manual execution returns a sample and saves nothing. Every error is a NodeApiError: n8n
 * recognizes rate limits and rejected keys by its httpCode and failure.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const ending = new AbortController();
	let current: Poll | undefined;
	try {
		current = await createPoll(context, ending);
		const items = current.isSample ? await emitSample(current) : await emit(context, current);
		return items.length === 0 ? null : [items.map((json) => ({ json }))];
	} catch (cause) {
		const isEnded = ending.signal.aborted && cause instanceof NodeApiError;
		throw toApiError(context, isEnded ? ending.signal.reason : cause, current);
	} finally {
		// What still waits.
		ending.abort();
	}
}

async function emit(context: IPollFunctions, current: Poll): Promise<IDataObject[]> {
	const { event, stateKey } = current;
	// By name, as n8n stores the state: copied nodes can have the same ID.
	const trigger = JSON.stringify([context.getWorkflow().id, context.getNode().name, stateKey]);
	if (running.has(trigger)) {
		current.warn('The previous poll is still running. The next one finds the same events.');
		return [];
	}
	running.add(trigger);
	try {
		const isActivity = event.activity !== undefined;
		const found = isActivity ? await pollActivity(current, event) : await pollList(current, event);
		// The last step: what is saved counts as emitted.
		saveState(context.getWorkflowStaticData('node'), stateKey, found.state);
		return found.items;
	} finally {
		running.delete(trigger);
	}
}

async function pollList(current: Poll, event: ListEvent) {
	const reading = await readList(current, event);
	const { includeExisting } = current.parameters;
	const { items, known } = await compare(event, current.state, reading, includeExisting);
	return { items, state: { known, readUntil: reading.readUntil } };
}

async function emitSample(current: Poll): Promise<IDataObject[]> {
	const { event } = current;
	const isActivity = event.activity !== undefined;
	const found = isActivity
		? await fetchActivitySample(current, event)
		: await readListSample(current, event);
	if (found.length === 0) {
		throw new UserError(event.nothingToShow, {
			description: `A test shows what exists now, and reads the rules of at most ${MAX_SAMPLE_RULES} containers. Create a matching container or contact and test again, or activate the workflow to wait for events.`,
		});
	}
	const { sample } = event;
	const shown = found.slice(0, MAX_SAMPLE_ITEMS);
	return shown.map((item) => Object.assign({ sample }, item, { sample }));
}

async function readListSample(current: Poll, event: ListEvent): Promise<IDataObject[]> {
	const { contents } = await readList(current, event);
	const items = [...contents.values()].flatMap((found) =>
		found === undefined || found.isSilent ? [] : [found.toItem()],
	);
	return sortNewestFirst(items, (item) => item);
}

function toApiError(context: IPollFunctions, error: unknown, current?: Poll): NodeApiError {
	if (error instanceof NodeApiError) return error;
	const { message, description = '' } = error as Error & { description?: string };
	const redactText = (text: string) => current?.client.redactText(text) ?? text;
	const cause = error instanceof UserError ? 'configuration-invalid' : 'temporarily-unavailable';
	return createApiError(context.getNode(), {
		message: redactText(message),
		description: redactText(description),
		failure: { cause },
	});
}

import {
	UserError,
	type IDataObject,
	type INodeExecutionData,
	type IPollFunctions,
	type NodeApiError,
} from 'n8n-workflow';

import { createApiError, ServiceError } from '../shared/errors/errors';
import { isUnattended } from '../shared/errors/unattended';
import { pollActivity } from './pollActivity';
import { createPoll, type Poll, type PollResult } from './createPoll';
import { pollList } from './pollList';

const MAX_SAMPLE_ITEMS = 5;
const SAMPLE = 'This item is an example from what exists now. The event itself has not happened.';

/** Milliseconds for the poll at the start of n8n: n8n 2 gives up an activation after 84 s. */
const MAX_POLL_AT_START = 60_000;

const running = new Set<string>();

/** n8n polls once while it activates a workflow, and then at the poll times, with the same context. */
const activated = new WeakSet<IPollFunctions>();

/**
 * Returns an item for each event since the last poll, or null. A poll that fails saves nothing, so that the next one
 * finds the same events. A manual execution returns a sample and saves nothing. Every error is a NodeApiError: n8n
 * recognizes rate limits and rejected keys by its httpCode and failure. At the start of n8n, where an error that is
 * thrown would end the trigger, it is listed as a poll that failed.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const ending = new AbortController();
	const isStart = !activated.has(context) && isUnattended(context);
	activated.add(context);
	try {
		const current = await createPoll(context, ending, isStart ? MAX_POLL_AT_START : undefined);
		const items = current.isSample ? await createSample(current) : await emit(context, current);
		return items.length === 0 ? null : [items.map((json) => ({ json }))];
	} catch (cause) {
		const isEnded = ending.signal.aborted && cause instanceof ServiceError;
		const error = toApiError(context, isEnded ? ending.signal.reason : cause);
		if (!isStart) throw error;
		context.__emitError(error);
		return null;
	} finally {
		ending.abort();
	}
}

async function emit(context: IPollFunctions, current: Poll): Promise<IDataObject[]> {
	const { stateKey } = current;
	// By name, as n8n stores the state: copied nodes can have the same ID.
	const trigger = JSON.stringify([context.getWorkflow().id, context.getNode().name, stateKey]);
	if (running.has(trigger)) {
		current.warn('The previous poll is still running. The next one finds the same events.');
		return [];
	}
	running.add(trigger);
	try {
		const { items, state, problem } = await read(current);
		// n8n lists it as an execution that failed, and starts the error workflow.
		if (problem !== undefined) context.__emitError(toApiError(context, problem));
		// The last step, and in one: what is saved counts as emitted.
		context.getWorkflowStaticData('node').saved = { ...state, key: stateKey };
		return items;
	} finally {
		running.delete(trigger);
	}
}

async function createSample(current: Poll): Promise<IDataObject[]> {
	const { items } = await read(current);
	if (items.length > 0) {
		const shown = items.slice(0, MAX_SAMPLE_ITEMS);
		// What the service lists as an event has happened.
		if ('activity' in current.event) return shown;
		return shown.map((item) => ({ sample: SAMPLE, ...item }));
	}
	throw new UserError(`There is nothing to show for "${current.event.name}" yet`, {
		description:
			'A test shows what exists now, of the newest 50 containers. Activate the workflow to wait for events.',
	});
}

async function read(current: Poll): Promise<PollResult> {
	const { event } = current;
	return 'activity' in event
		? await pollActivity(current, event.activity)
		: await pollList(current, event);
}

function toApiError(context: IPollFunctions, error: unknown): NodeApiError {
	if (error instanceof ServiceError) return createApiError(context.getNode(), error);
	const { message, description } = error as Error & { description?: string };
	const cause = error instanceof UserError ? 'configuration-invalid' : 'temporarily-unavailable';
	return createApiError(context.getNode(), { message, description, failure: { cause } });
}

import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import { findEventId } from '../shared/api/serviceEvents';
import { getConnection } from '../shared/client/connection';
import { createNodeError, ServiceError, type Cause } from '../shared/errors/errors';
import { isTemporary } from '../shared/errors/failure';
import { isUnattended } from '../shared/errors/unattended';
import { hash } from '../shared/responses/shapes';
import { EventSource } from './eventSource';
import { Follower } from './follower';
import { readInstantParameters, type InstantParameters } from './instantFields';
import { Progress } from './progress';

/** Milliseconds for a response while n8n activates the workflow: others wait for it when n8n starts. */
const MAX_ACTIVATION = 10_000;

/** Runs as long as the workflow is active, or as somebody waits for a test. @throws NodeApiError, NodeOperationError */
export async function startTrigger(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const ending = new AbortController();
	const closeFunction = async () => ending.abort();
	const toError = (error: unknown) => createNodeError(context.getNode(), error as Cause);
	try {
		const parameters = readInstantParameters(context);
		if (context.getMode() !== 'manual') {
			await follow(context, parameters, ending.signal);
			return { closeFunction };
		}
		const source = await openSource(context, parameters, ending.signal);
		const manualTriggerFunction = async () => {
			await waitForTest(context, source).catch((error: unknown) => {
				throw toError(error);
			});
		};
		return { closeFunction, manualTriggerFunction };
	} catch (error) {
		ending.abort();
		throw toError(error);
	}
}

async function openSource(
	context: ITriggerFunctions,
	parameters: InstantParameters,
	canceled: AbortSignal,
	responseTimeout = parameters.responseTimeout,
) {
	const connection = await getConnection(context);
	return new EventSource(context, connection, parameters, { canceled, responseTimeout });
}

/** Waits for an event that happens from now on. */
async function waitForTest(context: ITriggerFunctions, source: EventSource): Promise<void> {
	await source.connect();
	let place = await source.findEnd();
	for (;;) {
		const found = await source.read(place, { waits: true });
		const items = source.select(found).map((json) => ({ json }));
		if (items.length > 0) return context.emit([items]);
		place = { position: findEventId(found.at(-1)) ?? place.position };
	}
}

async function follow(
	context: ITriggerFunctions,
	parameters: InstantParameters,
	signal: AbortSignal,
): Promise<void> {
	const { baseUrl } = await getConnection(context);
	const { actions, nameContains, userId, maxRetries } = parameters;
	// By name, as n8n stores the state: copied nodes can have the same ID.
	const trigger = [context.getWorkflow().id, context.getNode().name, baseUrl];
	const stateKey = hash(JSON.stringify([trigger, userId, actions, nameContains]));
	const progress = new Progress(context.getWorkflowStaticData('node'), stateKey);
	const first = await openSource(context, parameters, signal, MAX_ACTIVATION);
	await begin(first, progress).catch((error: unknown) => {
		// Otherwise, it begins later with what has happened since.
		const isLate = error instanceof ServiceError && isTemporary(error.reason);
		if (!isLate && !isUnattended(context)) throw error;
	});
	const source = await openSource(context, parameters, signal);
	const isReplaced = async () => {
		const current = await openSource(context, parameters, signal, MAX_ACTIVATION);
		if (current.credential === source.credential) return false;
		await current.connect();
		return true;
	};
	const key = JSON.stringify(trigger);
	const follower = new Follower({ context, source, progress, signal, maxRetries, key, isReplaced });
	void follower.run();
}

/** At the first activation, nothing old is an event. */
async function begin(source: EventSource, progress: Progress): Promise<void> {
	progress.setUser(await source.connect());
	if (progress.isNew) progress.startFrom(await source.findEnd());
}

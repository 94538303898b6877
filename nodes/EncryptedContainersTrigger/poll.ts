import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, UserError } from 'n8n-workflow';

import { sortNewestFirst } from '../shared/api/creation';
import { getConnection } from '../shared/client/connection';
import { delay } from '../shared/client/delay';
import { Pace } from '../shared/client/pace';
import { Session } from '../shared/client/session';
import { createApiError } from '../shared/errors/nodeErrors';
import { ResponseMemory } from '../shared/responses/memory';
import { compare } from './diff';
import { getEvent } from './events';
import { MAX_SAMPLE_ITEMS, MAX_SAMPLE_RULES, OutOfTimeError, read, type Poll } from './fetch';
import { findDeleted } from './missing';
import { getParameters } from './parameters';
import { createStateKey, loadState, saveState, type PollState } from './pollState';

/** How long a poll takes at most where n8n sets no limit: a service that hangs must not end the polls in silence. */
const MAX_POLL = 3_600_000;

/** Of the time, what is left for the comparison after the last response. */
const MARGIN = 0.05;

/** What the polls that run are known by. */
const running = new Set<string>();

/**
 * Returns an item for each event since the last poll, or null. A poll that fails saves nothing, so that the next one
 * finds the same events. A manual execution returns a sample and saves nothing.
 *
 * @throws NodeApiError for every error: n8n recognizes rate limits and rejected keys by its httpCode and failure
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const ending = new AbortController();
	let current: Poll | undefined;
	try {
		current = await createPoll(context, ending);
		const { isSample, stateKey, warn } = current;
		if (isSample) return toOutput(await fetchSample(current));
		// By name, as n8n stores the state: copied nodes can have the same ID.
		const trigger = JSON.stringify([context.getWorkflow().id, context.getNode().name, stateKey]);
		if (running.has(trigger)) {
			warn('The previous poll is still running. The next one finds the same events.');
			return null;
		}
		running.add(trigger);
		try {
			const { items, next } = await findEvents(current, trigger);
			// The last step: what is saved counts as emitted.
			await saveState(context.getWorkflowStaticData('node'), stateKey, next);
			return toOutput(items);
		} finally {
			running.delete(trigger);
		}
	} catch (cause) {
		const isEnded = ending.signal.aborted && cause instanceof NodeApiError;
		const error: unknown = isEnded ? ending.signal.reason : cause;
		throw toApiError(context, error, (text) => current?.client.redactText(text) ?? text);
	} finally {
		// What still waits.
		ending.abort();
	}
}

async function createPoll(context: IPollFunctions, ending: AbortController): Promise<Poll> {
	const event = getEvent(context.getNodeParameter('event'));
	const parameters = getParameters(context);
	const { signal } = ending;
	// Older versions of n8n set no limit.
	const time = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? MAX_POLL;
	const deadline = Date.now() + time * (1 - MARGIN);
	void delay(deadline - Date.now(), signal).then(
		() => ending.abort(new OutOfTimeError()),
		() => undefined,
	);
	const pace = new Pace(parameters.maxConcurrent, signal);
	const session = new Session(await getConnection(context), pace);
	const settings = {
		context,
		responseTimeout: parameters.responseTimeout,
		deadline,
		cancelled: signal,
		chosenUser: parameters.userId,
		memory: new ResponseMemory(),
	};
	const client = session.createClient({ ...settings, maxRetries: parameters.maxRetries });
	const userId = parameters.userId ?? (await session.getCurrentUser(client));
	const { baseUrl } = session.connection;
	const watched = [event.option.value, baseUrl, userId, event.stateKey?.(parameters)];
	const stateKey = createStateKey(watched);
	const isSample = context.getMode() === 'manual';
	const { name } = context.getNode();
	return {
		event,
		parameters,
		client,
		impatientClient: session.createClient({ ...settings, maxRetries: 0 }),
		userId,
		ending,
		isSample,
		stateKey,
		state: isSample ? undefined : loadState(context.getWorkflowStaticData('node'), stateKey),
		hasProgress: false,
		warn: (text) => context.logger.warn(client.redactLine(`${name}: ${text}`)),
	};
}

function toOutput(items: IDataObject[]): INodeExecutionData[][] | null {
	return items.length === 0 ? null : [items.map((json) => ({ json }))];
}

/** Returns the items of the events since the last poll, and what to save for the next one. */
async function findEvents(
	current: Poll,
	trigger: string,
): Promise<{ items: IDataObject[]; next: PollState }> {
	const { event, state, parameters } = current;
	const reading = await read(current);
	const difference = await compare(event, state, reading, parameters.includeExisting);
	const { items, missing, known } = difference;
	const deletions = await findDeleted(current, trigger, missing, reading.listed);
	for (const [key, content] of deletions.kept) known.set(key, content);
	return {
		items: items.concat(deletions.items),
		next: { known, readUntil: reading.readUntil },
	};
}

async function fetchSample(current: Poll): Promise<IDataObject[]> {
	const { sample, nothingToShow } = current.event;
	const { contents } = await read(current);
	const items = [...contents.values()].flatMap((found) =>
		found === undefined || found.isSilent ? [] : [found.toItem()],
	);
	if (items.length === 0) {
		throw new UserError(nothingToShow, {
			description: `A test shows what exists now, and reads the rules of at most ${MAX_SAMPLE_RULES} containers. Create a matching container or contact and test again, or activate the workflow to wait for events.`,
		});
	}
	const shown = sortNewestFirst(items, (item) => item).slice(0, MAX_SAMPLE_ITEMS);
	return shown.map((item) => Object.assign({ sample }, item, { sample }));
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

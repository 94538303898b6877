import { OperationalError, type IDataObject, type IPollFunctions } from 'n8n-workflow';

import { fetchRules } from '../shared/api/drmRules';
import { CONTACT_LIST, fetchEntries, fetchEvents } from '../shared/api/lists';
import { matchesName, sortNewestFirst, withContainerId } from '../shared/api/records';
import { Client } from '../shared/client/client';
import { getConnection } from '../shared/client/connection';
import { delay } from '../shared/client/delay';
import { Limiter } from '../shared/client/limiter';
import { hasStatus, isNotFound } from '../shared/errors/errors';
import { listSome, parseChoice } from '../shared/parameters/values';
import { takeBreak } from '../shared/responses/takeBreak';
import {
	eventOptions,
	events,
	getKey,
	hash,
	type ListEvent,
	type Reading,
	type WatchedEntry,
} from './events';
import { getParameters } from './parameters';

/** Milliseconds, where n8n sets no limit (before 2.40): a poll that hangs must not end the others. */
const MAX_POLL = 3_600_000;

/** What is left of the time is for the comparison. */
const TIME_TO_READ = 0.95;

/** The service's events of one poll, of which the next one continues with the others, and of a test. */
const MAX_EVENTS = 10_000;
const MAX_SAMPLE_EVENTS = 1000;

/** The content of a record that the first poll could not read. No other looks like it. */
const NOT_READ = '?';

/** The newest records that a test reads the rules of: a person waits for it. */
const MAX_SAMPLE = 50;

export type Poll = Awaited<ReturnType<typeof createPoll>>;

/**
 * What n8n stores for the trigger: when it activates it and when it emits; with n8n's durable scheduler after each poll.
 * After a restart, only a record that was created since and changed or deleted while n8n was not running is missed.
 */
export interface PollState {
	/** What the last poll saw: contents by key. */
	known: Record<string, string>;
	/** Where the next poll continues: the ID of the last event, or the key of the first container that was not read. */
	position?: string;
	/** What it was saved for. */
	key?: string;
}

/** @param ending aborted when the time is over, or when an error concerns all records: it ends all requests */
export async function createPoll(context: IPollFunctions, ending: AbortController) {
	const eventName = parseChoice(context.getNodeParameter('event'), 'Event', eventOptions);
	const event = events[eventName];
	const parameters = getParameters(context);
	const { maxConcurrent, maxRetries, responseTimeout, userId: chosenUser } = parameters;
	const { signal } = ending;
	const budget = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? MAX_POLL;
	const left = budget * TIME_TO_READ;
	const tooSlow = new OperationalError('The service responded too slowly for a poll', {
		description:
			'The time that n8n gives a poll was over before there was anything to compare. The next poll tries again. If the error persists, contact the operator of the service, or raise N8N_SCHEDULER_POLL_TIMEOUT in n8n.',
	});
	// Nothing happens where it was aborted before.
	const end = () => ending.abort(tooSlow);
	void delay(left, signal).then(end, end);
	const connection = await getConnection(context);
	const limiter = new Limiter(connection.key, maxConcurrent, signal);
	const limits = { limiter, maxRetries, responseTimeout, deadline: Date.now() + left };
	const client = new Client({ context, connection, cancelled: signal, ...limits });
	const userId = chosenUser ?? (await client.getCurrentUser()).id;
	const { query, nameContains, fieldsToIgnore } = parameters;
	const compared = 'list' in event && { query, nameContains, fieldsToIgnore };
	const stateKey = hash(JSON.stringify([eventName, connection.baseUrl, userId, compared]));
	const isSample = context.getMode() === 'manual';
	const { saved } = context.getWorkflowStaticData('node') as { saved?: PollState };
	return {
		...{ event, parameters, client, userId, ending, stateKey, isSample },
		state: saved?.key === stateKey && !isSample ? saved : undefined,
		warn(text: string) {
			context.logger.warn(client.redactor.redactLine(`${context.getNode().name}: ${text}`));
		},
	};
}

/**
 * The service's events since the last poll, in their order; for a sample the newest first. The first poll only notes the
 * newest one: nothing old is an event.
 */
export async function pollActivity(
	{ client, userId, state, isSample, parameters }: Poll,
	activity: string,
) {
	const after = state?.position;
	const query = [...parameters.query];
	if (state === undefined) query.push(['order', 'desc']);
	else if (after !== undefined) query.push(['after', after]);
	const limitOfFirst = isSample ? MAX_SAMPLE_EVENTS : 1;
	const limit = state === undefined ? limitOfFirst : MAX_EVENTS;
	const found = await fetchEvents(client, userId, { query, limit });
	await client.redactor.redactJson(found);
	const isMeant = ({ action, container_name: name }: IDataObject) =>
		action === activity && matchesName(String(name ?? ''), parameters.nameContains);
	const position = found.length === 0 ? after : String(found.at(-1)?.id);
	const items = state === undefined && !isSample ? [] : found.filter(isMeant);
	return { items, state: { known: {}, position } };
}

/** @returns what differs from the list of the last poll; for a sample all that there is, the newest first */
export async function pollList(poll: Poll, event: ListEvent) {
	const { client, userId, isSample, state } = poll;
	const { query, nameContains } = poll.parameters;
	const entries = await fetchEntries(client, event.list, userId, { query });
	// Before anything is shortened or saved: half an API key can't be recognized any more.
	await client.redactor.redactJson(entries);
	const watched = (isSample ? sortNewestFirst(entries) : entries)
		.filter(({ name }) => matchesName(name, nameContains))
		.slice(0, isSample ? MAX_SAMPLE : undefined)
		.map((entry) => ({ ...entry, key: getKey(event, entry.id) }));
	const { readings, position } = await readAll(poll, event, watched);
	const keys = new Set(watched.map(({ key }) => key));
	const items: IDataObject[] = [];
	const known: PollState['known'] = {};
	for (const key of keys) {
		const unread = { content: state === undefined ? NOT_READ : state.known[key] };
		const { content, item }: Reading = readings.get(key) ?? unread;
		if (content !== undefined) known[key] = content;
		if (item !== undefined) items.push(item);
	}
	for (const [key, content] of Object.entries(state?.known ?? {})) {
		if (event.isDeletion && !keys.has(key)) items.push(JSON.parse(content) as IDataObject);
	}
	return { items, state: { known, position } };
}

/**
 * Reads as much as there is time for, such as the rules of each container: the next poll continues at `position`. A
 * failure costs only itself, and a container that was deleted meanwhile is none. @throws where nothing can be read
 */
async function readAll(poll: Poll, event: ListEvent, watched: WatchedEntry[]) {
	const { client, ending, state } = poll;
	const next = watched.findIndex(({ key }) => key === state?.position);
	const start = Math.max(0, next);
	const order = [...watched.slice(start), ...watched.slice(0, start)];
	const readings = new Map<string, Reading | undefined>();
	const failures: Array<{ entry: WatchedEntry; error: Error }> = [];
	const read = async (entry: WatchedEntry) => {
		try {
			await takeBreak();
			const rules = event.readsRules ? await fetchRules(client, entry.id) : undefined;
			// Before anything of them is saved.
			if (rules !== undefined) await client.redactor.redactJson(rules);
			readings.set(entry.key, readEntry(poll, event, { ...entry, rules }));
		} catch (error) {
			// All others would fail as well.
			if (hasStatus(error, 401) || hasStatus(error, 429)) ending.abort(error);
			// What was read counts.
			if (ending.signal.aborted) return;
			readings.set(entry.key, undefined);
			if (!isNotFound(error)) failures.push({ entry, error: error as Error });
		}
	};
	if (event.readsRules) await Promise.all(order.map(read));
	else for (const entry of order) await read(entry);
	const failure = (ending.signal.reason ?? failures[0]?.error) as Error | undefined;
	if (failure !== undefined && ![...readings.values()].some(Boolean)) throw failure;
	if (failures.length > 0) {
		const names = failures.map(({ entry: { id, name } }) => (name ? `"${name}" (${id})` : id));
		poll.warn(
			`The access rules of ${failures.length} of ${order.length} containers could not be read (${failures[0].error.message}). The trigger goes on without ${listSome(names)}`,
		);
	}
	return { readings, position: order.find(({ key }) => !readings.has(key))?.key };
}

function readEntry(
	{ state, isSample, parameters }: Poll,
	event: ListEvent,
	entry: WatchedEntry,
): Reading {
	const { key, id, name, rules } = entry;
	const saved = state === undefined ? NOT_READ : state.known[key];
	const isFirst = saved === NOT_READ;
	const { content, item } = event.read(entry, parameters, isFirst ? undefined : saved);
	const isChange = saved === undefined ? !event.ignoresNew : saved !== content;
	const isEvent = (isFirst ? parameters.includeExisting : isChange) && !event.isDeletion;
	if (item === undefined || !(isSample || isEvent)) return { content };
	if (event.list === CONTACT_LIST) return { content, item };
	const named = rules && name !== undefined ? { name } : {};
	return { content, item: withContainerId(id, { ...named, ...item, ...(rules && { rules }) }) };
}

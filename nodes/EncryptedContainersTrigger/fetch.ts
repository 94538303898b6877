import { UserError } from 'n8n-workflow';

import { fetchRules } from '../shared/api/drmRules';
import { CONTACT_LIST, fetchList, groupById } from '../shared/api/lists';
import { toContainerKey } from '../shared/api/records';
import { takeBreak } from '../shared/client/delay';
import { hasStatus, isNotFound } from '../shared/errors/nodeErrors';
import { toAddressKey } from '../shared/parameters/addresses';
import { listSome, MAX_LENGTHS } from '../shared/parameters/values';
import { matchesName } from '../shared/parameters/wildcards';
import { OutOfTimeError, type Poll } from './createPoll';
import { hash } from './pollState';
import type { Content, TriggerEvent, WatchedEntry } from './types';

/** Items of a test, and containers whose rules it reads: a person waits for it. */
export const MAX_SAMPLE_ITEMS = 5;
export const MAX_SAMPLE_RULES = 50;

/** After so many failures in one poll, requests are not sent again: the others must not wait for an outage. */
const MAX_PATIENT_FAILURES = 3;

/** If the rules of none of so many containers can be read, the poll fails. */
const MAX_FAILURES_ALONE = 10;

/** 72 bits: no two records have the same. */
const KEY_LENGTH = 12;

export interface Reading {
	/** The ID of everything in the list, by its key. */
	listed: Map<string, string>;
	/** Undefined for those that the event is not about. */
	contents: Map<string, Content | undefined>;
	/** The keys of what is in the list, but was not read or understood this time. */
	unread: string[];
	readUntil?: string;
}

/** @throws NodeApiError when the list can't be fetched, or the rules of no container can be read */
export async function read(poll: Poll): Promise<Reading> {
	const { event, parameters } = poll;
	const entries = await fetchAll(poll);
	const listed = new Map(entries.map(({ key, id }) => [key, id]));
	const contents: Reading['contents'] = new Map();
	const watched: WatchedEntry[] = [];
	for (const entry of entries) {
		if (!event.readsRules) contents.set(entry.key, event.toContent(entry, parameters));
		else if (matchesName(entry.name, parameters.nameContains)) watched.push(entry);
		await takeBreak();
	}
	return {
		listed,
		...(event.readsRules ? await readRules(poll, watched) : { contents, unread: [] }),
	};
}

/** The same for all spellings of an address or UUID, which a service can change. */
export function getKey({ list }: TriggerEvent, id: string): string {
	return hash(list === CONTACT_LIST ? toAddressKey(id) : toContainerKey(id), KEY_LENGTH);
}

async function fetchAll({ client, userId, event, parameters }: Poll): Promise<WatchedEntry[]> {
	const byKey = new Map<string, WatchedEntry>();
	const needs = event.readsRules && parameters.nameContains !== '' ? 'name' : 'id';
	const records = await fetchList(client, event.list, userId, { needs });
	// Before anything is shortened or saved: half an API key can't be recognized any more.
	await client.redact(records);
	for (const entry of groupById(records, event.list)) {
		const { length } = entry.id;
		if (length > MAX_LENGTHS.id) {
			throw new UserError(`The service returned an ID with ${length} characters`, {
				description: `It begins with "${entry.id.slice(0, 100)}". The trigger stores IDs of at most ${MAX_LENGTHS.id} characters. Report this to the operator of the service.`,
			});
		}
		const key = getKey(event, entry.id);
		const first = byKey.get(key);
		if (first === undefined) byKey.set(key, { ...entry, key });
		else first.duplicates.push(entry.record, ...entry.duplicates);
		await takeBreak();
	}
	return [...byKey.values()];
}

/** As many containers as there is time for: the next poll continues after `readUntil`. A failure costs only itself. */
async function readRules(poll: Poll, watched: WatchedEntry[]) {
	const { state, isSample, parameters, ending } = poll;
	const order = isSample ? watched.slice(0, MAX_SAMPLE_RULES) : rotate(watched, state?.readUntil);
	const contents: Reading['contents'] = new Map();
	const errors = new Map<string, unknown>();
	let found = 0;
	await forEach(poll, order, async (entry) => {
		if (isSample && found >= MAX_SAMPLE_ITEMS) return;
		await readContent(poll, entry, errors.size < MAX_PATIENT_FAILURES).then(
			(content) => {
				contents.set(entry.key, content);
				if (content !== undefined && !content.isSilent) found += 1;
			},
			(error: unknown) => {
				if (concernsAll(poll, error)) throw error;
				errors.set(entry.key, ending.signal.aborted ? ending.signal.reason : error);
			},
		);
	});
	const reason = ending.signal.reason as unknown;
	const [firstError = reason] = errors.values();
	const isHopeless = errors.size === 0 || errors.size >= Math.min(order.length, MAX_FAILURES_ALONE);
	const unread = order.filter(({ key }) => !contents.has(key));
	if (unread.length > 0 && contents.size === 0 && isHopeless) throw firstError;
	// Those without rules are no problem.
	const failed = unread.filter(({ key }) => errors.has(key) && !isNotFound(errors.get(key)));
	if (failed.length > 0) {
		const named = failed.map(({ id, name }) => (name === undefined ? id : `"${name}" (${id})`));
		const { message } = errors.get(failed[0].key) as Error;
		poll.warn(
			`The access rules of ${failed.length} of ${order.length} containers could not be read (${message}). The trigger goes on without ${listSome(named)}`,
		);
	}
	// Whoever was there from the beginning had all the time there is, and must not hold back the others again.
	const next = order.findIndex(({ key }, index) => {
		const isInterrupted = [undefined, reason].includes(errors.get(key));
		return index >= parameters.maxConcurrent && !contents.has(key) && isInterrupted;
	});
	const read = watched.filter(({ key }) => contents.has(key));
	return {
		contents: new Map(read.map(({ key }) => [key, contents.get(key)])),
		unread: unread.map(({ key }) => key),
		readUntil: next === -1 ? undefined : order[next - 1].key,
	};
}

async function readContent(poll: Poll, entry: WatchedEntry, isPatient: boolean) {
	const { event, client, parameters, state, isSample } = poll;
	const { key, id, name } = entry;
	const rules = await fetchRules(isPatient ? client : poll.impatientClient, id);
	// Before anything of them is saved.
	await client.redact([rules]);
	if (isSample && Object.keys(rules).length === 0) return undefined;
	const saved = state?.known.get(key);
	const content = event.toContent({ ...entry, rules }, parameters, saved);
	const container = { containerId: id, ...(name === undefined ? {} : { name }) };
	// The rules of all other containers would take much memory.
	const isSame = content?.content === saved;
	const toItem = (before?: string) => ({ ...container, ...content?.toItem(before), rules });
	return content && { ...content, toItem: isSame ? () => container : toItem };
}

/** Sorted by key, with those after `readUntil` first: a constant order, whatever that of the list. */
function rotate(entries: WatchedEntry[], readUntil = ''): WatchedEntry[] {
	const sorted = [...entries].sort((a, b) => (a.key < b.key ? -1 : 1));
	const start = sorted.findIndex(({ key }) => key > readUntil);
	return start === -1 ? sorted : [...sorted.slice(start), ...sorted.slice(0, start)];
}

/** Until the time is over, or a task fails. What was done before a rate limit counts: else no poll would get beyond it. */
export async function forEach<T>(poll: Poll, entries: T[], task: (entry: T) => Promise<void>) {
	const { signal } = poll.ending;
	const queue = entries.values();
	const work = async () => {
		for (const entry of queue) {
			if (signal.aborted) return;
			try {
				await task(entry);
				poll.hasProgress = true;
			} catch (error) {
				poll.ending.abort(error);
			}
			await takeBreak();
		}
	};
	const count = Math.min(poll.parameters.maxConcurrent, entries.length);
	await Promise.all(Array.from({ length: count }, work));
	const reason = signal.reason as unknown;
	const isPartOfAll =
		reason instanceof OutOfTimeError || (poll.hasProgress && hasStatus(reason, '429'));
	if (signal.aborted && !isPartOfAll) throw reason;
}

/** Once the service has answered for another record, a refused key concerns one record only. */
function concernsAll({ hasProgress }: Poll, error: unknown): boolean {
	return (hasStatus(error, '401') && !hasProgress) || hasStatus(error, '429');
}

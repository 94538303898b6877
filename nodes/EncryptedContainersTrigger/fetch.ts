import { OperationalError, UserError } from 'n8n-workflow';

import type { DrmRules } from '../shared/api/drmRules';
import { fetchRules } from '../shared/api/drmRules';
import type { ListDefinition, ListEntry } from '../shared/api/lists';
import { CONTACT_LIST, CONTAINER_LIST, fetchEntries } from '../shared/api/lists';
import type { ServiceClient } from '../shared/client/client';
import { buildPath } from '../shared/client/path';
import { takeBreak } from '../shared/client/takeBreak';
import { hasStatus, isNotFound } from '../shared/errors/nodeErrors';
import { matchesWildcards } from '../shared/parameters/wildcards';
import type { TriggerParameters } from './parameters';
import type { PollState } from './pollState';
import type { Reading, Snapshot } from './reading';
import { getKey } from './reading';
import type { TimeBudget } from './timeBudget';
import { createOutOfTimeError } from './timeBudget';

/** Items of a test. */
export const MAX_SAMPLE_ITEMS = 5;

/** Containers whose rules a test reads: a person waits for it. */
export const MAX_SAMPLE_RULES = 50;

/** Records that one poll looks for when they are missing from the list. */
const MAX_CONFIRMATIONS = 1000;

/** If none of so many was deleted, the list is incomplete, and the others wait for the next poll. */
const FIRST_CONFIRMATIONS = 10;

/** What a poll fetches with. */
export interface FetchOptions {
	client: ServiceClient;
	/** Ends what waits for its next attempt. */
	stop(reason: unknown): void;
	budget: TimeBudget;
	userId: string;
	parameters: TriggerParameters;
	/** Whether a few records are enough. */
	isSample: boolean;
	/** What the last poll saved. */
	state?: PollState;
}

/** Fetches the containers or contacts for one poll. Each method throws a NodeApiError when a request fails. */
export class PollFetcher {
	/** Whether a task of `forEach` succeeded. */
	private hasProgress = false;

	constructor(readonly options: FetchOptions) {}

	/** A whole list, each entry as a snapshot. */
	async fetchList(
		list: ListDefinition,
		toSnapshot: (entry: ListEntry) => Snapshot,
	): Promise<Reading> {
		const entries = await this.fetchEntries(list);
		const snapshots: Snapshot[] = [];
		for (const entry of entries) {
			snapshots.push(toSnapshot(entry));
			await takeBreak();
		}
		return { listed: getKeys(list, entries), snapshots, unread: new Set(), postponed: [] };
	}

	/**
	 * The containers that match the name filter, with their rules: as many as there is time for. The others follow in the
	 * next poll, which continues after `readUntil`. Each item begins with the container, and ends with its rules.
	 *
	 * @param toSnapshot returns undefined for rules that the event is not about; throws a UserError for rules that can't be
	 * understood: what the last poll saved of them stays
	 */
	async fetchRules(
		toSnapshot: (rules: DrmRules) => Omit<Snapshot, 'id'> | undefined,
	): Promise<Reading> {
		const { client, state, isSample, parameters } = this.options;
		const needs = parameters.nameFilter === '' ? 'id' : 'name';
		const containers = await this.fetchEntries(CONTAINER_LIST, needs);
		const matching = containers.filter(({ name }) =>
			matchesNameFilter(name, parameters.nameFilter),
		);
		const watched = isSample ? matching.slice(0, MAX_SAMPLE_RULES) : matching;
		const order = isSample ? watched : rotate(watched, state?.readUntil);
		const snapshots = new Map<string, Snapshot | undefined>();
		const listSnapshots = () => watched.flatMap(({ id }) => snapshots.get(id) ?? []);
		const done = new Set<string>();
		let hasRules = false;
		const readOne = async ({ id, name }: ListEntry) => {
			const rules = await fetchRules(client, id);
			hasRules = true;
			const snapshot = toSnapshot(rules);
			const container = { containerId: id, ...(name === undefined ? {} : { name }) };
			snapshots.set(
				id,
				snapshot && {
					id,
					content: snapshot.content,
					toItem: (before) => ({ ...container, ...snapshot.toItem(before), rules }),
				},
			);
		};
		const read = async (entry: ListEntry) => {
			await readOne(entry).catch((error: unknown) => {
				// No rules, rules that can't be understood, or an ID that can't be in a URL cost this container only.
				if (!isNotFound(error) && !(error instanceof UserError)) throw error;
			});
			done.add(entry.id);
		};
		const hasSample = () => isSample && listSnapshots().length >= MAX_SAMPLE_ITEMS;
		await this.forEach(order, read, hasSample);
		if (order.length > 0 && done.size === 0) throw createOutOfTimeError();
		const ids = order.map(({ id }) => id);
		const first = ids.findIndex((id) => !done.has(id));
		const hasNoRules = ids.length > 0 && first === -1 && !hasRules;
		if (hasNoRules && state?.hasNoRules === true) throw createNoRulesError(ids.length);
		await takeBreak();
		return {
			listed: getKeys(CONTAINER_LIST, containers),
			snapshots: listSnapshots(),
			unread: new Set(ids.filter((id) => !snapshots.has(id))),
			postponed: ids.filter((id) => !done.has(id)),
			// A container that takes all the time there is must not hold back those after it.
			...(first === -1 ? {} : { readUntil: ids[Math.max(0, first - 1)] }),
			hasNoRules,
		};
	}

	/**
	 * Looks for records that are missing from the list, because pages shift while they are fetched, and a service can lose
	 * sight of its data for a moment.
	 *
	 * @returns those that were deleted, and those that exist; of the others nothing is known yet
	 */
	async confirmDeleted(
		list: ListDefinition,
		ids: string[],
	): Promise<{ deleted: Set<string>; existing: Set<string> }> {
		const { client, userId } = this.options;
		const deleted = new Set<string>();
		const existing = new Set<string>();
		const getOne = async (id: string) => {
			const isContact = list === CONTACT_LIST;
			const user = isContact ? ['users', userId] : [];
			await client.requestObject({
				method: 'GET',
				path: buildPath([...user, list.segment, id]),
				action: `find out whether the ${isContact ? 'contact' : 'container'} was deleted`,
			});
		};
		const look = async (id: string) => {
			let found = existing;
			await getOne(id).catch((error: unknown) => {
				if (isNotFound(error)) found = deleted;
				// An ID that can't be in a URL, or a record that the user can't see any more.
				else if (!(error instanceof UserError) && !hasStatus(error, '403')) throw error;
			});
			found.add(id);
		};
		await this.forEach(ids.slice(0, FIRST_CONFIRMATIONS), look);
		if (deleted.size > 0) {
			await this.forEach(ids.slice(FIRST_CONFIRMATIONS, MAX_CONFIRMATIONS), look);
		}
		return { deleted, existing };
	}

	/** A whole list, with one entry for each key. */
	private async fetchEntries(list: ListDefinition, needs?: 'id' | 'name'): Promise<ListEntry[]> {
		const { client, userId, budget } = this.options;
		const groups = new Map<string, ListEntry>();
		for (const entry of await budget.get(fetchEntries(client, list, userId, needs))) {
			const key = getKey(list, entry.id);
			const first = groups.get(key);
			if (first === undefined) groups.set(key, entry);
			else first.duplicates.push(entry.record, ...entry.duplicates);
		}
		await takeBreak();
		return [...groups.values()];
	}

	/**
	 * Runs a task for each entry, as many at a time as the user allows, until it is enough or the time is over. What was
	 * done before a rate limit counts: otherwise no poll would ever get beyond it.
	 */
	private async forEach<T>(
		entries: T[],
		task: (entry: T) => Promise<void>,
		isEnough?: () => boolean,
	): Promise<void> {
		const { stop, budget, parameters } = this.options;
		const errors: unknown[] = [];
		let next = 0;
		const work = async () => {
			while (next < entries.length && !budget.isOver && errors.length === 0 && !isEnough?.()) {
				const entry = entries[next];
				next += 1;
				try {
					await task(entry);
					this.hasProgress = true;
				} catch (error) {
					errors.push(error);
					// Also ends those that wait for their next attempt.
					stop(error);
				}
				await takeBreak();
			}
		};
		const workers = Array.from(
			{ length: Math.min(parameters.maxConcurrent, entries.length) },
			work,
		);
		await budget.waitFor(Promise.all(workers));
		const [error] = errors;
		if (error !== undefined && !(this.hasProgress && hasStatus(error, '429'))) throw error;
	}
}

/** Sorted by ID, with those after `readUntil` first: a constant order, whatever that of the list. */
function rotate(entries: ListEntry[], readUntil = ''): ListEntry[] {
	const sorted = [...entries].sort((a, b) => (a.id < b.id ? -1 : 1));
	const start = sorted.findIndex(({ id }) => id > readUntil);
	return start === -1 ? sorted : [...sorted.slice(start), ...sorted.slice(0, start)];
}

/**
 * Whether a name contains the filter or, with `*` for any characters, matches it completely. An empty filter matches all.
 * The time grows with the name only, whatever the filter.
 */
export function matchesNameFilter(name: string | undefined, filter: string): boolean {
	const text = (name ?? '').toLowerCase();
	const pattern = filter.toLowerCase();
	return pattern.includes('*') ? matchesWildcards(text, pattern) : text.includes(pattern);
}

function createNoRulesError(count: number): OperationalError {
	return new OperationalError('The service found no access rules for any container in the list', {
		description: `The service returned "not found" for the rules of ${count === 1 ? 'the only container' : `all ${count} containers`}, in two polls in a row. Check that the API key can read the rules, and that the Base URL in the credential ends with the right version.`,
	});
}

function getKeys(list: ListDefinition, entries: ListEntry[]): Set<string> {
	return new Set(entries.map(({ id }) => getKey(list, id)));
}

import { OperationalError, UserError } from 'n8n-workflow';

import type { DrmRules } from '../shared/api/drmRules';
import { fetchRules } from '../shared/api/drmRules';
import type { ListEntry } from '../shared/api/lists';
import { CONTACT_LIST, fetchEntries } from '../shared/api/lists';
import type { ServiceClient } from '../shared/client/client';
import { buildPath } from '../shared/client/path';
import { takeBreak } from '../shared/client/delay';
import { hasStatus, isNotFound } from '../shared/errors/nodeErrors';
import { MAX_LENGTHS } from '../shared/parameters/lengths';
import { matchesName } from '../shared/parameters/wildcards';
import { estimateMemory } from '../shared/responses/memory';
import type { TriggerParameters } from './parameters';
import type { PollState } from './pollState';
import type { Content, KeyedEntry, Reading, Snapshot, Watched } from './reading';
import { getIds, getKey, rotate } from './reading';
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

/** After so many failures in one poll, requests are not sent again: the others must not wait for an outage. */
const MAX_PATIENT_FAILURES = 3;

/** A poll fails when it could read the rules of none of so many containers. */
const MAX_FAILURES_ALONE = 10;

/** Records that a warning names. */
const MAX_NAMED = 3;
const MAX_NAME_LENGTH = 50;

/** What a poll fetches with. */
export interface FetchOptions {
	event: Watched;
	client: ServiceClient;
	/** Sends each request once. */
	impatientClient: ServiceClient;
	/** Ends what waits for its next attempt. */
	stop(reason: unknown): void;
	budget: TimeBudget;
	userId: string;
	parameters: TriggerParameters;
	/** Whether a few records are enough. */
	isSample: boolean;
	/** What the last poll saved. */
	state?: PollState;
	/** Writes text of the service to n8n's log. */
	warn(text: string): void;
}

/** Fetches the containers or contacts for one poll. Each method throws a NodeApiError when a request fails. */
export class PollFetcher {
	/** Whether a task of `forEach` succeeded. */
	private hasProgress = false;

	constructor(readonly options: FetchOptions) {}

	/** A whole list, each entry as a snapshot. */
	async fetchList(toContent: (entry: ListEntry) => Content): Promise<Reading> {
		const entries = await this.fetchEntries();
		const snapshots: Snapshot[] = [];
		for (const entry of entries) {
			snapshots.push({ key: entry.key, ...toContent(entry) });
			await takeBreak();
		}
		return { listed: getIds(entries), snapshots, unread: [] };
	}

	/**
	 * The containers with a matching name, with their rules: as many as there is time for. The others follow in the next
	 * poll, which continues after `readUntil`. Each item begins with the container, and ends with its rules.
	 *
	 * A container whose rules can't be read or understood costs only itself: what the last poll saved of it stays.
	 *
	 * @param toContent returns undefined for rules that the event is not about; throws for those that can't be understood
	 * @throws NodeApiError when the rules of no container can be read
	 */
	async fetchRules(
		toContent: (rules: DrmRules, saved?: string) => Content | undefined,
	): Promise<Reading> {
		const { client, impatientClient, state, isSample, parameters } = this.options;
		const { nameContains } = parameters;
		const containers = await this.fetchEntries(nameContains === '' ? 'id' : 'name');
		const matching: KeyedEntry[] = [];
		for (const entry of containers) {
			if (matchesName(entry.name, nameContains)) matching.push(entry);
			await takeBreak();
		}
		const watched = isSample ? matching.slice(0, MAX_SAMPLE_RULES) : matching;
		const order = isSample ? watched : rotate(watched, state?.readUntil);
		const failedBefore = new Set(state?.failed);
		const started = new Set<string>();
		/** Undefined for rules that the event is not about. */
		const snapshots = new Map<string, Snapshot | undefined>();
		const errors = new Map<string, unknown>();
		const readOne = async ({ key, id, name }: KeyedEntry) => {
			const isImpatient = failedBefore.has(key) || errors.size >= MAX_PATIENT_FAILURES;
			const rules = await fetchRules(isImpatient ? impatientClient : client, id);
			// Before anything of them is saved.
			await client.redact([rules]);
			const saved = state?.known.get(key);
			const content = toContent(rules, saved);
			const container = { containerId: id, ...(name === undefined ? {} : { name }) };
			// The rules of all other containers would take much memory.
			const isSame = content?.content === saved;
			client.memory.settle(isSame ? 0 : estimateMemory(rules));
			const toItem = isSame
				? () => container
				: (before?: string) => ({ ...container, ...content?.toItem(before), rules });
			snapshots.set(key, content && { ...content, key, toItem });
		};
		const listSnapshots = () => watched.flatMap(({ key }) => snapshots.get(key) ?? []);
		const hasSample = () => isSample && listSnapshots().length >= MAX_SAMPLE_ITEMS;
		await this.forEach(
			order,
			async (entry) => {
				started.add(entry.key);
				await readOne(entry).catch((error: unknown) => {
					if (!concernsAll(error)) errors.set(entry.key, error);
					else {
						started.delete(entry.key);
						throw error;
					}
				});
			},
			hasSample,
		);
		// From here on without a break: late responses must not change what was read.
		if (order.length > 0 && started.size === 0) throw createOutOfTimeError();
		const unread = order.filter(({ key }) => !snapshots.has(key));
		const failed = unread.filter(({ key }) => started.has(key) || failedBefore.has(key));
		const areAll = order.length > 0 && failed.length === order.length;
		// Also those that were interrupted when the time was over, but not those that just have no rules.
		const troubles = unread.filter(({ key }) => started.has(key) && !isNotFound(errors.get(key)));
		const getError = ({ key }: KeyedEntry) => errors.get(key) ?? createOutOfTimeError();
		if (snapshots.size === 0 && troubles.length > 0) {
			if (areAll || troubles.length >= MAX_FAILURES_ALONE) throw getError(troubles[0]);
		}
		if (areAll && troubles.length === 0 && failed.every(({ key }) => failedBefore.has(key))) {
			throw createNoRulesError(failed.length);
		}
		// Whoever was interrupted is the first in the next poll, but only once.
		const isOver = ({ key }: KeyedEntry) =>
			snapshots.has(key) || errors.has(key) || (started.has(key) && failedBefore.has(key));
		this.warn('Access rules:', troubles.filter(isOver), order.length, getError);
		const next = order.findIndex((entry) => !isOver(entry));
		return {
			listed: getIds(containers),
			snapshots: listSnapshots(),
			unread: unread.map(({ key }) => key),
			failed: failed.map(({ key }) => key),
			// A container that takes all the time there is must not hold back those after it.
			...(next === -1 ? {} : { readUntil: order[Math.max(0, next - 1)].key }),
		};
	}

	/**
	 * Looks for records that are missing from the list, because pages shift while they are fetched, and a service can lose
	 * sight of its data for a moment.
	 *
	 * @returns those that were deleted, and those that may exist; the others were not looked for
	 */
	async confirmDeleted(ids: string[]): Promise<{ deleted: Set<string>; existing: Set<string> }> {
		const { client, userId, event } = this.options;
		const isContact = event.list === CONTACT_LIST;
		const deleted = new Set<string>();
		const existing = new Set<string>();
		const errors = new Map<string, unknown>();
		const getOne = async (id: string) => {
			await client.requestObject({
				method: 'GET',
				path: buildPath([...(isContact ? ['users', userId] : []), event.list.segment, id]),
				action: `find out whether the ${isContact ? 'contact' : 'container'} was deleted`,
			});
		};
		const look = async (id: string) => {
			let found = existing;
			await getOne(id).catch((error: unknown) => {
				if (concernsAll(error)) throw error;
				if (isNotFound(error)) found = deleted;
				// An ID that can't be in a URL, or a record that the user can't see any more, is not worth a warning.
				else if (!(error instanceof UserError) && !hasStatus(error, '403')) errors.set(id, error);
			});
			found.add(id);
			client.memory.settle(0);
		};
		await this.forEach(ids.slice(0, FIRST_CONFIRMATIONS), look);
		if (deleted.size > 0) {
			await this.forEach(ids.slice(FIRST_CONFIRMATIONS, MAX_CONFIRMATIONS), look);
		}
		const problems = [...errors.keys()].map((id) => ({ id }));
		this.warn('Records missing from the list:', problems, ids.length, ({ id }) => errors.get(id));
		return { deleted: new Set(deleted), existing: new Set(existing) };
	}

	/** One line about what could not be read, by name. */
	private warn<T extends { id: string; name?: string }>(
		what: string,
		entries: T[],
		count: number,
		getError: (entry: T) => unknown,
	): void {
		if (entries.length === 0) return;
		const named = entries.slice(0, MAX_NAMED).map((entry) => {
			const [id, name] = [entry.id, entry.name].map((text) => text?.slice(0, MAX_NAME_LENGTH));
			return name === undefined ? id : `"${name}" (${id})`;
		});
		const more = entries.length > MAX_NAMED ? ` and ${entries.length - MAX_NAMED} more` : '';
		const { message } = getError(entries[0]) as Error;
		this.options.warn(
			`${what} ${entries.length} of ${count} could not be read: ${named.join(', ')}${more}. The trigger goes on with the others. ${message}`,
		);
	}

	/** A whole list, with one entry for each key. */
	private async fetchEntries(needs?: 'id' | 'name'): Promise<KeyedEntry[]> {
		const { client, userId, budget, event } = this.options;
		const groups = new Map<string, KeyedEntry>();
		for (const entry of await budget.get(fetchEntries(client, event.list, userId, needs))) {
			if (entry.id.length > MAX_LENGTHS.id) throw createIdError(entry.id);
			const key = getKey(event, entry.id);
			const first = groups.get(key);
			if (first === undefined) groups.set(key, { ...entry, key });
			else first.duplicates.push(entry.record, ...entry.duplicates);
			await takeBreak();
		}
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

/** Whether the other records fail in the same way: the key is not accepted, or there were too many requests. */
function concernsAll(error: unknown): boolean {
	return hasStatus(error, '401') || hasStatus(error, '429');
}

function createNoRulesError(count: number): OperationalError {
	return new OperationalError('The service found no access rules for any container in the list', {
		description: `The service returned "not found" for the rules of ${count === 1 ? 'the only container' : `all ${count} containers`}, in two polls in a row. Check that the API key can read the rules, and that the Base URL in the credential ends with the right version.`,
	});
}

function createIdError(id: string): UserError {
	return new UserError(`The service returned an ID with more than ${MAX_LENGTHS.id} characters`, {
		description: `It begins with "${id.slice(0, 100)}" and has ${id.length} characters. The trigger doesn't store it. Report this to the operator of the service.`,
	});
}

import type { IDataObject } from 'n8n-workflow';

import { CONTACT_LIST } from '../shared/api/lists';
import { buildPath } from '../shared/client/path';
import { RecentValues } from '../shared/client/recentValues';
import { isNotFound } from '../shared/errors/nodeErrors';
import { listSome } from '../shared/parameters/values';
import { concernsAll, forEach, type Poll } from './fetch';
import type { PollState } from './pollState';

/** Records that one poll looks for when they are missing from the list. */
const MAX_CONFIRMATIONS = 1000;

/** If none of so many was deleted, the list is incomplete, and the others wait for the next poll. */
const FIRST_CONFIRMATIONS = 10;

/** What an ID and its key take, in bytes, about. */
const ENTRY_BYTES = 200;

/**
 * What the last poll of each trigger in this process has seen: the ID of a record, by its key. Most states contain only
 * hashes. Where an ID is not known, after a restart, its record counts as existing.
 */
const seen = new RecentValues<Map<string, string>>(Number.POSITIVE_INFINITY);

/**
 * Looks for records that are missing from the list, because pages shift while they are fetched, and a service can lose
 * sight of its data for a moment.
 *
 * @param trigger what the trigger is known by in this process
 * @param listed the ID of everything in the list, by its key
 * @returns an item for each deletion, where that is the event, and what to keep of the others
 */
export async function findDeleted(
	poll: Poll,
	trigger: string,
	missing: PollState['known'],
	listed: Map<string, string>,
): Promise<{ items: IDataObject[]; kept: PollState['known'] }> {
	const { event } = poll;
	const ids = new Map(seen.get(trigger));
	if (event.toDeletedItem) for (const [key, saved] of missing) ids.set(key, split(saved)[0]);
	const { deleted, existing } = await lookFor(
		poll,
		[...missing.keys()].flatMap((key) => ids.get(key) ?? []),
	);
	const items: IDataObject[] = [];
	const unclear: Array<[string, string]> = [];
	const existent: Array<[string, string]> = [];
	const nowSeen = new Map(listed);
	for (const [key, content] of missing) {
		const id = ids.get(key) ?? '';
		if (deleted.has(id)) {
			if (event.toDeletedItem) items.push(event.toDeletedItem(...split(content)));
			continue;
		}
		(existing.has(id) ? existent : unclear).push([key, content]);
		if (id !== '') nowSeen.set(key, id);
	}
	if (!event.toDeletedItem) seen.set(trigger, nowSeen, nowSeen.size * ENTRY_BYTES);
	// The next poll looks for the others first.
	return { items, kept: new Map([...unclear, ...existent]) };
}

function split(content: string): [id: string, text: string] {
	const [id] = content.split('\n', 1);
	return [id, content.slice(id.length + 1)];
}

/** The IDs of those that were deleted, and of those that may exist; the others were not looked for. */
async function lookFor(
	poll: Poll,
	ids: string[],
): Promise<{ deleted: Set<string>; existing: Set<string> }> {
	const { client, userId, event } = poll;
	const isContact = event.list === CONTACT_LIST;
	const folder = [...(isContact ? ['users', userId] : []), event.list.segment];
	const deleted = new Set<string>();
	const existing = new Set<string>();
	const failed = new Map<string, Error>();
	const look = async (id: string) => {
		const path = buildPath([...folder, id]);
		const request = { method: 'GET', path, action: event.list.action } as const;
		let found = existing;
		await client.requestObject(request).catch((error: Error) => {
			if (concernsAll(error) || poll.ending.signal.aborted) throw error;
			if (isNotFound(error)) found = deleted;
			else failed.set(id, error);
		});
		found.add(id);
		await client.memory.settle([]);
	};
	await forEach(poll, ids.slice(0, FIRST_CONFIRMATIONS), look);
	if (deleted.size > 0) {
		await forEach(poll, ids.slice(FIRST_CONFIRMATIONS, MAX_CONFIRMATIONS), look);
	}
	const [firstError] = failed.values();
	if (event.toDeletedItem && firstError !== undefined) {
		const named = listSome([...failed.keys()]);
		poll.warn(
			`Nobody can tell whether these ${event.list.segment} were deleted, so they count as existing: ${named} (${firstError.message})`,
		);
	}
	return { deleted, existing };
}

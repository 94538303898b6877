import type { IDataObject } from 'n8n-workflow';

import { CONTACT_LIST } from '../shared/api/lists';
import { checkRecord } from '../shared/api/records';
import { buildPath } from '../shared/client/path';
import { RecentValues } from '../shared/client/recentValues';
import { hasStatus, isNotFound } from '../shared/errors/nodeErrors';
import { listSome } from '../shared/parameters/values';
import type { Poll } from './createPoll';
import { forEach } from './fetch';
import type { Known } from './pollState';

/** Records that one poll looks for when they are missing from the list. */
const MAX_CONFIRMATIONS = 1000;

/** If none of so many was deleted, the list is incomplete, and the others wait for the next poll. */
const FIRST_CONFIRMATIONS = 10;

/** What an ID and its key take, in bytes, about. */
const ENTRY_BYTES = 200;

/** IDs by key, as the last poll of each trigger has seen them: most states contain only hashes. Lost in a restart. */
const seen = new RecentValues<Map<string, string>>(Number.POSITIVE_INFINITY);

/**
 * Looks for records that are missing from the list, because pages shift while they are fetched, and a service can lose
 * sight of its data for a moment. A record whose ID is not known counts as existing.
 *
 * @returns an item for each deletion, where that is the event, and what to keep of the others
 */
export async function findDeleted(poll: Poll, trigger: string, missing: Known, listed: Known) {
	const { toDeletedItem } = poll.event;
	const ids = new Map(seen.get(trigger));
	if (toDeletedItem) for (const [key, saved] of missing) ids.set(key, split(saved)[0]);
	const lookedFor = [...missing.keys()].flatMap((key) => ids.get(key) ?? []);
	const exists = await lookFor(poll, lookedFor);
	const items: IDataObject[] = [];
	const unclear: Known = new Map();
	const existing: Known = new Map();
	const nowSeen = new Map(listed);
	for (const [key, content] of missing) {
		const id = ids.get(key) ?? '';
		if (exists.get(id) === false) {
			if (toDeletedItem) items.push(toDeletedItem(...split(content)));
			continue;
		}
		(exists.has(id) ? existing : unclear).set(key, content);
		if (id !== '') nowSeen.set(key, id);
	}
	if (!toDeletedItem) seen.set(trigger, nowSeen, nowSeen.size * ENTRY_BYTES);
	// The next poll looks for the others first.
	return { items, kept: new Map([...unclear, ...existing]) };
}

function split(content: string): [id: string, text: string] {
	const [id] = content.split('\n', 1);
	return [id, content.slice(id.length + 1)];
}

/** Whether each of the IDs that were looked for may exist. */
async function lookFor(poll: Poll, ids: string[]) {
	const { client, userId, event } = poll;
	const folder = event.list === CONTACT_LIST ? ['users', userId] : [];
	const exists = new Map<string, boolean>();
	const failed = new Map<string, Error>();
	const look = async (id: string) => {
		const path = buildPath([...folder, event.list.segment, id]);
		const request = { method: 'GET', path, action: event.list.action } as const;
		const asked = folder.length > 0 ? { contactEmail: id } : { containerId: id };
		const looking = client.requestObject(request, (record) => checkRecord(record, asked));
		await looking.catch((error: Error) => {
			if (hasStatus(error, '429') || poll.ending.signal.aborted) throw error;
			if (isNotFound(error)) exists.set(id, false);
			else failed.set(id, error);
		});
		if (!exists.has(id)) exists.set(id, true);
	};
	await forEach(poll, ids.slice(0, FIRST_CONFIRMATIONS), look);
	if ([...exists.values()].includes(false)) {
		await forEach(poll, ids.slice(FIRST_CONFIRMATIONS, MAX_CONFIRMATIONS), look);
	}
	const [[, error] = []] = failed;
	if (event.toDeletedItem && error !== undefined) {
		poll.warn(
			`Nobody can tell whether these ${event.list.segment} were deleted, so they count as existing: ${listSome([...failed.keys()])} (${error.message})`,
		);
	}
	return exists;
}

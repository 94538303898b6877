import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { RecentValues } from '../shared/client/recentValues';
import { takeBreak } from '../shared/client/delay';

const FORMAT = 3;
const KEY_LENGTH = 16;

/** What n8n stores for a trigger is read and written as a whole. */
const MAX_BYTES = 5_000_000;

/** In place of the content of a record that the first poll could not read. No date and no hash looks like it. */
export const NOT_READ = '?';

/** What a poll saves for the next one. */
export interface PollState {
	/** What is known of a record, or NOT_READ: by its ID where a deletion is the event, otherwise by its key. */
	known: Map<string, string>;
	/** Where the last poll ran out of time: the key of the last record that it read, in the order of the keys. */
	readUntil?: string;
	/** The keys of the containers whose rules could not be read when they were last asked for. */
	failed: string[];
}

/** A key for event, base URL, user and parameters: the state of one key can't be used for another. */
export function createStateKey(parts: unknown[]): string {
	return hash(JSON.stringify([FORMAT, ...parts]), KEY_LENGTH);
}

/** The state that the last poll saved under the key, if any. */
export function loadState(staticData: IDataObject, key: string): PollState | undefined {
	const { memory } = staticData as { memory?: IDataObject };
	if (memory?.key !== key || !Array.isArray(memory.known)) return undefined;
	const texts = memory.known.map(String);
	const known = new Map<string, string>();
	for (let index = 0; index < texts.length; index += 2) known.set(texts[index], texts[index + 1]);
	const { readUntil, failed } = memory as Partial<PollState>;
	return { known, readUntil, failed: failed ?? [] };
}

/**
 * Saves the state of a poll in one step, so that the static data never contains a part of it.
 *
 * n8n stores static data when it activates the trigger, also at each start, and when the trigger emits; with its durable
 * scheduler after each poll. After a restart, the trigger only misses a record that was created since the last save and
 * changed or deleted while n8n was not running.
 *
 * @throws UserError when it is too large
 */
export async function saveState(
	staticData: IDataObject,
	key: string,
	{ known, readUntil, failed }: PollState,
): Promise<void> {
	// Half the size of objects.
	const texts = [...known].flat();
	let bytes = 0;
	for (const text of [...texts, ...failed]) {
		bytes += Buffer.byteLength(JSON.stringify(text)) + 1;
		if (bytes > MAX_BYTES) throw createTooLargeError(known.size);
		await takeBreak();
	}
	staticData.memory = { key, readUntil, failed, known: texts };
}

function createTooLargeError(count: number): UserError {
	return new UserError(`The trigger can't store what it knows: it is more than 5 MB`, {
		description: `n8n stores with the workflow what the trigger knows of ${count} containers or contacts. Watch fewer of them: enter "Name Contains" where the event has it, turn off "Include Previous Rules", or use the API key or "User ID" of a user who has fewer.`,
	});
}

/** 48 bits: one change in 280,000,000,000,000 is missed. */
export const FINGERPRINT_LENGTH = 8;

/** A short hash of a text, as Base64: 6 bits per character. */
export function hash(text: string, length = FINGERPRINT_LENGTH): string {
	return createHash('sha256').update(text).digest('base64').slice(0, length);
}

/** What an ID and its key take beside their characters, in bytes. */
const ENTRY_BYTES = 80;

/** What the last poll of each trigger in this process has seen: the ID of a record, by its key. */
const seen = new RecentValues<Map<string, string>>(Number.POSITIVE_INFINITY);

/**
 * The IDs of records of which the state contains only hashes: to ask for one that is missing from the list. Kept in
 * memory only. Where one is not known, after a restart, its record counts as existing.
 */
export function getSeenIds(trigger: string): Map<string, string> {
	return seen.get(trigger) ?? new Map<string, string>();
}

export function setSeenIds(trigger: string, ids: Map<string, string>): void {
	let bytes = 0;
	for (const [key, id] of ids) bytes += ENTRY_BYTES + key.length + id.length;
	seen.set(trigger, ids, bytes);
}

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EventRow, TrailRow } from '../database/schema.mts';
import { deriveKey, type MasterKey, type MasterKeys } from './masterKeys.mts';

// How events are proven. docs/keys.md says the same for who verifies them without the service: it never changes.

const VERSION = 1;
const SALT_BYTES = 16;

/** JSON of a list of texts (RFC 8785): no other list has the same bytes. */
const encodeFacts = (facts: Array<string | number | null>) => JSON.stringify(facts);
const toSha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export const createSalt = () => randomBytes(SALT_BYTES).toString('base64url');

/** Binds to a value without telling it: without the salt, nobody can try guesses. */
export const commit = (column: 'user' | 'detail', salt: string, value: string) =>
	toSha256(encodeFacts([column, salt, value]));

type Hashed = Pick<EventRow, 'seq' | 'owner_id' | 'created_date' | 'action' | 'container_id'> &
	Pick<EventRow, 'container_name' | 'request_id' | 'user_commitment' | 'detail_commitment'>;

/** @param before the hash of the event before it, of the same owner */
export const hashEvent = (before: string, row: Hashed) =>
	toSha256(
		encodeFacts([
			'event',
			VERSION,
			before,
			String(row.seq),
			row.owner_id,
			row.created_date,
			row.action,
			row.container_id,
			row.container_name,
			row.request_id,
			row.user_commitment,
			row.detail_commitment,
		]),
	);

/** What stands before the first event of an owner. */
export const hashBeginning = (ownerId: string) =>
	toSha256(encodeFacts(['trail', VERSION, ownerId]));

/** What stands before an event where the end of the trail wasn't what the service wrote: it fits to nothing, for ever. */
export const BROKEN = '';

export const encodeTrail = ({ owner_id, start_id, start_hash, end_id, end_hash }: Bounds) =>
	encodeFacts(['trail', VERSION, owner_id, String(start_id), start_hash, String(end_id), end_hash]);

export type Bounds = Omit<TrailRow, 'mac'>;

/** What a MAC stands for: each has a key of its own. */
type Purpose = 'event' | 'trail' | 'erasure' | 'request';

const toHmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('hex');

/** @returns the MAC, behind the ID of its master key */
export const createMac = (key: MasterKey, purpose: Purpose, text: string) =>
	`${key.id}:${toHmac(deriveKey(key, purpose), text)}`;

/** @returns a function that says whether a MAC is right; nothing where its master key isn't there any more */
export function createMacCheck(keys: MasterKeys) {
	const known = keys.all();
	const derived = new Map<string, Buffer | undefined>();
	const findKey = (id: string, purpose: Purpose) => {
		const name = `${id} ${purpose}`;
		const key = known.find((one) => one.id === id);
		if (!derived.has(name)) derived.set(name, key && deriveKey(key, purpose));
		return derived.get(name);
	};
	return (purpose: Purpose, text: string, mac: string): boolean | undefined => {
		const [id, digest = ''] = mac.split(':');
		const key = findKey(id, purpose);
		if (key === undefined) return undefined;
		const expected = Buffer.from(toHmac(key, text));
		const found = Buffer.from(digest);
		return found.length === expected.length && timingSafeEqual(found, expected);
	};
}

export type MacCheck = ReturnType<typeof createMacCheck>;

/** What an event shows once somebody was erased: its hash still holds, by the commitments. */
export const ERASED = { user: 'erased', detail: '{}', user_salt: null, detail_salt: null };

/** Whether an event is what the service wrote after another one. */
export function isGenuine(isRight: MacCheck, before: string, row: EventRow): boolean {
	if (row.hash === null || row.mac === null) return false;
	if (before === BROKEN || hashEvent(before, row) !== row.hash) return false;
	// A key that was retired says nothing: the end of the trail, under a later one, holds the hash.
	if (isRight('event', row.hash, row.mac) === false) return false;
	const { erasure } = row;
	if (erasure !== null) return isErased(row) && isRight('erasure', row.hash, erasure) === true;
	return isCommitted('user', row) && isCommitted('detail', row);
}

function isCommitted(column: 'user' | 'detail', row: EventRow): boolean {
	const salt = row[`${column}_salt`];
	return salt !== null && commit(column, salt, row[column]) === row[`${column}_commitment`];
}

function isErased({ user, detail, user_salt, detail_salt }: EventRow): boolean {
	const isEmpty = user === ERASED.user && detail === ERASED.detail;
	return isEmpty && user_salt === null && detail_salt === null;
}

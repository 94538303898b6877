import stringify from 'safe-stable-stringify';
import type { Transaction } from 'kysely';
import { insertEvent, lockTrail, takeEventId, writeTrail } from '../database/events.mts';
import type { Database, Queries, Tables, TrailRow } from '../database/schema.mts';
import { ServiceError } from '../errors.mts';
import * as proofs from './proofs.mts';
import type { MasterKeys } from './masterKeys.mts';

type Action =
	| `container.${'create' | 'open' | 'refuse' | 'delete' | 'view' | 'download' | 'decode'}`
	| `container.${'transfer' | 'hold'}`
	| 'drm.update'
	| 'code.refuse'
	| 'access.request'
	| `request.${'create' | 'deliver' | 'delete' | 'refuse'}`
	| `user.${'create' | 'disable' | 'enable' | 'transfer' | 'erase'}`
	| `key.${'create' | 'revoke'}`
	| 'master_key.rotate';

export interface NewEvent {
	action: Action;
	/** In whose trail it is. */
	ownerId: string;
	container?: { id: string; name: string };
	requestId?: string;
	/** The address of whoever did it; "" where the service did. */
	user: string;
	detail: Record<string, string | number | boolean | string[] | number[] | undefined> & {
		reason?: string;
	};
}

/** What the log says of an event: nothing of a person. */
export interface EventLine {
	id: string;
	action: string;
	owner_id: string;
	container_id: string | null;
	/** Of a refusal, or a deletion by a rule: a word of the contract. */
	reason?: string;
	hash: string;
	mac: string;
}

export type RecordEvent = (event: NewEvent) => Promise<void>;

/** What records events: a part of the vault. */
export interface Recorder {
	database: Database;
	keys: MasterKeys;
	logEvent: (line: EventLine) => void;
}

/**
 * Runs a transaction, in which events are recorded with what they report. After it, each is a line of the log: so whoever
 * collects the log has a copy that nobody can change in the database.
 */
export async function transact<Result>(
	{ database, keys, logEvent }: Recorder,
	run: (queries: Transaction<Tables>, record: RecordEvent) => Promise<Result>,
): Promise<Result> {
	const lines: EventLine[] = [];
	const result = await database.transaction().execute(async (queries) => {
		const record: RecordEvent = async (event) => {
			lines.push(await appendEvent(queries, keys, event));
		};
		return await run(queries, record);
	});
	for (const line of lines) logEvent(line);
	return result;
}

/** Adds an event to the trail of its owner, whose end moves to it. */
async function appendEvent(queries: Queries, keys: MasterKeys, event: NewEvent) {
	const { action, ownerId: owner_id, container, requestId, user, detail } = event;
	const key = keys.current();
	const trail = await lockTrail(queries, owner_id);
	const seq = await takeEventId(queries);
	const texts = { user: toStored(user), detail: stringify(detail) };
	const user_salt = proofs.createSalt();
	const detail_salt = proofs.createSalt();
	const facts = {
		seq,
		owner_id,
		created_date: new Date().toISOString(),
		action,
		container_id: container?.id ?? null,
		container_name: container ? toStored(container.name) : null,
		request_id: requestId ?? null,
		user_commitment: proofs.commit('user', user_salt, texts.user),
		detail_commitment: proofs.commit('detail', detail_salt, texts.detail),
	};
	const start = trail ?? createTrail(owner_id, action);
	const isTrue = trail === undefined || isTrueTrail(keys, trail);
	const hash = proofs.hashEvent(isTrue ? start.end_hash : proofs.BROKEN, facts);
	const mac = proofs.createMac(key, 'event', hash);
	const proof = { user_salt, detail_salt, hash, mac, erasure: null };
	await insertEvent(queries, { ...facts, ...texts, ...proof });
	const bounds = { ...start, end_id: seq, end_hash: hash };
	await writeTrail(queries, signTrail(keys, bounds));
	const { container_id } = facts;
	return { id: String(seq), action, owner_id, container_id, reason: detail.reason, hash, mac };
}

/** Half a character becomes the sign that a database writes for it. */
const toStored = (text: string) => Buffer.from(text).toString();

/** The trail of a user begins with the user: that one is missing later on means that somebody removed it. */
function createTrail(owner_id: string, action: Action): proofs.Bounds {
	const hash = action === 'user.create' ? proofs.hashBeginning(owner_id) : proofs.BROKEN;
	return { owner_id, start_id: 0, start_hash: hash, end_id: 0, end_hash: hash };
}

/** @throws ServiceError where its master key is missing, such as in a process that hasn't got a new one yet: it can't judge */
export function isTrueTrail(keys: MasterKeys, trail: TrailRow): boolean {
	const isRight = proofs.createMacCheck(keys)('trail', proofs.encodeTrail(trail), trail.mac);
	if (isRight !== undefined || trail.mac === '') return isRight === true;
	const [id] = trail.mac.split(':');
	const message = `No event can be recorded: the service doesn't have the master key ${id} that signed the events before.`;
	throw new ServiceError(500, 'master_key_missing', message);
}

export function signTrail(keys: MasterKeys, bounds: proofs.Bounds): TrailRow {
	const { owner_id, start_id, start_hash, end_id, end_hash } = bounds;
	const signed = { owner_id, start_id, start_hash, end_id, end_hash };
	return { ...signed, mac: proofs.createMac(keys.current(), 'trail', proofs.encodeTrail(signed)) };
}

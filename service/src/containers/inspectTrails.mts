import { sql } from 'kysely';
import { findTrail, readEventsAfter } from '../database/events.mts';
import type { Database, TrailRow } from '../database/schema.mts';
import { BROKEN, createMacCheck, encodeTrail, hashBeginning, isGenuine } from './proofs.mts';
import type { MacCheck } from './proofs.mts';
import type { Recorder } from './trail.mts';

/** Follows the trail of each owner. @returns for each one that isn't whole the first event that doesn't fit */
export async function inspectTrails({ database, keys }: Recorder) {
	const isRight = createMacCheck(keys);
	const problems: string[] = [];
	let proven = 0;
	let unproven = 0;
	for (const { id, email } of await listOwners(database)) {
		const found = await followTrail(database, isRight, id);
		proven += found.proven;
		unproven += found.unproven;
		if (found.problem) problems.push(`The events of ${email ?? `user ${id}`}: ${found.problem}`);
	}
	return { problems, proven, unproven };
}

/** Whoever has events, a trail, or should have one. A user who was erased leaves both. */
async function listOwners(database: Database) {
	const owners = sql<{ id: string; email: string | null }>`select owner.id, email from
		(select id from users union select owner_id from trails union select owner_id from events)
		as owner left join users on users.id = owner.id order by owner.id`;
	return (await owners.execute(database)).rows;
}

interface Followed {
	/** Events that are as the service wrote them. */
	proven: number;
	/** Events from before the trail. */
	unproven: number;
	problem?: string;
}

/** Follows a trail. Where its start moves meanwhile, since old events are deleted, it begins again. */
async function followTrail(database: Database, isRight: MacCheck, id: string): Promise<Followed> {
	const trail = await findTrail(database, id);
	if (trail === undefined) {
		const problem = 'the record of where they begin and end was taken out.';
		return { proven: 0, unproven: 0, problem };
	}
	const before = await readBefore(database, trail);
	const followed =
		before.problem === undefined ? await followEvents(database, isRight, trail) : before;
	if (followed.problem === undefined) return { ...followed, unproven: before.unproven };
	const now = await findTrail(database, id);
	if (now?.start_id === trail.start_id) return followed;
	return await followTrail(database, isRight, id);
}

/** Before the start, there are only events from before the trail. Once it has lost some of its own, there are none. */
async function readBefore(database: Database, trail: TrailRow): Promise<Followed> {
	const { owner_id, start_id, start_hash } = trail;
	const events = database.selectFrom('events').select(['seq', 'hash']);
	const own = events.where('owner_id', '=', owner_id).where('seq', '<=', start_id);
	const rows = await own.orderBy('seq').execute();
	const isBeginning = start_hash === hashBeginning(owner_id);
	const added = rows.find(({ hash }) => !isBeginning || hash !== null);
	if (added === undefined) return { proven: 0, unproven: rows.length };
	return { proven: 0, unproven: 0, problem: `event ${added.seq} was put in.` };
}

async function followEvents(
	database: Database,
	isRight: MacCheck,
	{ owner_id, start_id, start_hash }: TrailRow,
): Promise<Followed> {
	let id = start_id;
	let hash = start_hash;
	let proven = 0;
	for (;;) {
		const rows = await readEventsAfter(database, owner_id, id);
		for (const row of rows) {
			if (!isGenuine(isRight, hash, row)) {
				return { proven, unproven: 0, problem: describeMisfit(row.seq, id) };
			}
			proven += 1;
			id = row.seq;
			hash = row.hash ?? BROKEN;
		}
		if (rows.length > 0) continue;
		// Read after the events: none of them can be later than it.
		const end = await findTrail(database, owner_id);
		const isLater = end !== undefined && end.end_id > id;
		const next = isLater ? await readEventsAfter(database, owner_id, id) : [];
		if (next.length > 0) continue;
		return { proven, unproven: 0, problem: findWrongEnd(isRight, end, { id, hash }) };
	}
}

/** @param last the event before, or the start */
function describeMisfit(id: number, last: number): string {
	return `event ${id} is the first that doesn't fit. It was changed or put in, or events between ${last} and ${id} were taken out.`;
}

type Last = { id: number; hash: string };

function findWrongEnd(isRight: MacCheck, end: TrailRow | undefined, last: Last) {
	if (end !== undefined && end.end_id > last.id) {
		return `those after event ${last.id} were taken out, up to event ${end.end_id}.`;
	}
	const isWhole =
		end?.end_id === last.id &&
		end.end_hash === last.hash &&
		isRight('trail', encodeTrail(end), end.mac) === true;
	if (isWhole) return undefined;
	return `the record of where they begin and end was changed. The newest event that is there is ${last.id}.`;
}

import * as events from '../database/events.mts';
import { readAllContainers } from '../database/queries.mts';
import type { Database, EventRow, Queries, TrailRow } from '../database/schema.mts';
import { attempt } from '../errors.mts';
import { BROKEN, createMac, createMacCheck, ERASED, hashBeginning, isGenuine } from './proofs.mts';
import type { MasterKeys } from './masterKeys.mts';
import { openSeal } from './seal.mts';
import { isTrueTrail, signTrail } from './trail.mts';

/**
 * Begins the legacy trails, of users who were there before trails were: all of them at once, and once. Later on, one
 * that has no MAC lost it outside of the service.
 */
export async function beginLegacyTrails(database: Database, keys: MasterKeys): Promise<void> {
	const trails = database.selectFrom('trails').selectAll().where('mac', '=', '').limit(1);
	if (!(await trails.executeTakeFirst())) return;
	await database.transaction().execute(async (queries) => {
		await events.takeTurns(queries, 'trails');
		const all = await queries.selectFrom('trails').selectAll().execute();
		if (all.some(({ mac }) => mac !== '') || (await isSealedSince(queries, keys))) return;
		for (const trail of all) {
			const hash = hashBeginning(trail.owner_id);
			const begun = { ...trail, start_hash: hash, end_hash: hash };
			await events.writeTrail(queries, signTrail(keys, begun));
		}
	});
}

/** A seal says that trails had begun before: what looks as if they hadn't was made so outside of the service. */
async function isSealedSince(queries: Queries, keys: MasterKeys): Promise<boolean> {
	for await (const row of readAllContainers(queries)) {
		if (attempt(() => openSeal(keys, row))?.hasTrails) return true;
	}
	return false;
}

/**
 * Puts what an older master key proved under the current one, before it is retired: the end of each trail, whose hash
 * covers all events before it, and erasures. What isn't proven stays unproven.
 */
export async function anchorTrails(queries: Queries, keys: MasterKeys): Promise<void> {
	const current = `${keys.current().id}:%`;
	const trails = queries.selectFrom('trails').select('owner_id').where('mac', 'not like', current);
	for (const { owner_id } of await trails.orderBy('owner_id').execute()) {
		const trail = await events.lockTrail(queries, owner_id);
		if (!trail) continue;
		const end_hash = isTrueTrail(keys, trail) ? trail.end_hash : BROKEN;
		await events.writeTrail(queries, signTrail(keys, { ...trail, end_hash }));
	}
	const isRight = createMacCheck(keys);
	const old = queries.selectFrom('events').select(['seq', 'hash', 'erasure']);
	for (const { seq, hash, erasure } of await old.where('erasure', 'not like', current).execute()) {
		if (!hash || !erasure || !isRight('erasure', hash, erasure)) continue;
		await events.updateEvent(queries, seq, { erasure: createMac(keys.current(), 'erasure', hash) });
	}
}

/** Takes people out of events, with the salts: no guess can be tried any more, and the trail stays whole. @param names as they stand in `user` */
export async function eraseFromEvents(
	queries: Queries,
	keys: MasterKeys,
	names: string[],
): Promise<void> {
	const key = keys.current();
	const found = queries.selectFrom('events').select(['seq', 'hash']).where('user', 'in', names);
	for (const { seq, hash } of await found.execute()) {
		const erasure = hash && createMac(key, 'erasure', hash);
		await events.updateEvent(queries, seq, { ...ERASED, erasure });
	}
}

/** Deletes the events that are older than a moment, up to the first one that isn't. */
export async function pruneEvents(database: Database, keys: MasterKeys, oldest: string) {
	const old = database.selectFrom('events').select('owner_id').where('created_date', '<', oldest);
	for (const { owner_id } of await old.distinct().execute()) {
		const prune = async () =>
			await database
				.transaction()
				.execute(async (queries) => await prunePage(queries, keys, { owner_id, oldest }));
		while (await prune());
	}
}

/** @returns whether there can be more */
async function prunePage(
	queries: Queries,
	keys: MasterKeys,
	owned: { owner_id: string; oldest: string },
) {
	const { owner_id, oldest } = owned;
	const trail = await events.lockTrail(queries, owner_id);
	const page = await events.readEventsAfter(queries, owner_id, 0);
	const young = page.findIndex(({ created_date }) => created_date >= oldest);
	const old = young < 0 ? page : page.slice(0, young);
	const last = old.at(-1);
	if (last === undefined) return false;
	await events.deleteEventsUpTo(queries, owner_id, last.seq);
	const moved = trail && moveStart(keys, trail, old);
	if (moved) await events.writeTrail(queries, signTrail(keys, moved));
	return young < 0;
}

/** @returns the trail without these events; nothing where one isn't genuine: then the trail shows for ever that they are missing */
function moveStart(keys: MasterKeys, trail: TrailRow, pruned: EventRow[]): TrailRow | undefined {
	const isRight = createMacCheck(keys);
	const covered = pruned.filter(({ seq }) => seq > trail.start_id);
	if (covered.length === 0 || !isTrueTrail(keys, trail)) return undefined;
	let { start_id, start_hash } = trail;
	for (const row of covered) {
		if (!isGenuine(isRight, start_hash, row)) return undefined;
		start_id = row.seq;
		start_hash = row.hash ?? '';
	}
	return { ...trail, start_id, start_hash };
}

import { takeTurns, writeTrail } from '../database/events.mts';
import type { Database } from '../database/schema.mts';
import { hashBeginning } from './proofs.mts';
import type { MasterKeys } from './seal.mts';
import { signTrail } from './trail.mts';

/**
 * Begins the trails of users who were there before trails were: all of them at once, and once. Later on, one that has
 * no MAC lost it outside of the service.
 */
export async function beginTrails(database: Database, keys: MasterKeys): Promise<void> {
	const trails = database.selectFrom('trails').selectAll().where('mac', '=', '').limit(1);
	if (!(await trails.executeTakeFirst())) return;
	await database.transaction().execute(async (queries) => {
		await takeTurns(queries, 'trails');
		const all = await queries.selectFrom('trails').selectAll().execute();
		if (all.some(({ mac }) => mac !== '')) return;
		for (const trail of all) {
			const hash = hashBeginning(trail.owner_id);
			const begun = { ...trail, start_hash: hash, end_hash: hash };
			await writeTrail(queries, signTrail(keys, begun));
		}
	});
}

import type { Database } from './schema.mts';

const STEP = 2000;

/** In steps: nobody else waits until a database with very many is read. */
export async function sumContainers(database: Database) {
	const total = { count: 0, bytes: 0 };
	for (let last = 0, read = STEP; read === STEP;) {
		const next = database.selectFrom('containers').select(['seq', 'size']);
		const rows = await next.where('seq', '>', last).orderBy('seq').limit(STEP).execute();
		for (const { size } of rows) total.bytes += size;
		total.count += rows.length;
		read = rows.length;
		last = rows.at(-1)?.seq ?? last;
	}
	return total;
}

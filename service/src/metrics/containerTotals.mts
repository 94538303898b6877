import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../database/schema.mts';
import { sumContainers } from '../database/sumContainers.mts';

/** Counting reads all containers: it is done so often. */
const KEPT_MS = 5 * 60_000;

/** How much is stored, by all processes. It is counted beside what asks for it, which gets what was counted before. */
export function watchTotals(registry: Registry, database: Database): void {
	const containers = new Gauge({
		name: 'ec_containers',
		help: 'Containers that are stored',
		registers: [registry],
		collect: () => void count(),
	});
	const bytes = new Gauge({
		name: 'ec_container_bytes',
		help: 'Bytes of the files in all containers',
		registers: [registry],
	});
	// Nothing is known yet: 0 would be wrong.
	for (const gauge of [containers, bytes]) gauge.remove();
	let countedAt = -Infinity;
	async function count(): Promise<void> {
		if (performance.now() - countedAt < KEPT_MS) return;
		const before = countedAt;
		countedAt = performance.now();
		try {
			const total = await sumContainers(database);
			containers.set(total.count);
			bytes.set(total.bytes);
		} catch {
			// The database says by itself that it can't be used.
			countedAt = before;
		}
	}
}

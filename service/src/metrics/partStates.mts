import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import type { Storage } from '../storage/storage.mts';

const LATE_MS = 3000;

/** Where nothing fails, all is well. */
type Check = () => Promise<Array<{ part: string; failure?: string }>>;

/** @param check that of /readyz */
export function watchParts(registry: Registry, check: Check): void {
	new Gauge({
		name: 'ec_part_up',
		help: 'Whether a part that /readyz checks works: 1, or 0',
		labelNames: ['part'],
		registers: [registry],
		async collect() {
			const states = await check();
			for (const { part, failure } of states) this.set({ part }, failure === undefined ? 1 : 0);
		},
	});
}

export function watchFreeBytes(registry: Registry, storage: Storage): void {
	new Gauge({
		name: 'ec_storage_free_bytes',
		help: 'What can still be written; +Inf where nobody knows, as with S3',
		registers: [registry],
		async collect() {
			const late = sleep(LATE_MS, undefined, { ref: false });
			const asked = storage.getFreeBytes().catch(() => undefined);
			const free = await Promise.race([asked, late]);
			if (free === undefined) this.remove();
			else this.set(free);
		},
	});
}

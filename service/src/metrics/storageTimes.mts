import { Counter, Histogram, type Registry } from 'prom-client';
import type { Storage } from '../storage/storage.mts';
import { Stretch } from './stretch.mts';

const OPERATIONS = ['write', 'read', 'remove'] as const;
type Operation = (typeof OPERATIONS)[number];

/**
 * Measures the longest time at a stretch for which an operation waits for the storage: it depends neither on the size of a
 * file, nor on how fast a client sends or takes it.
 */
export function watchStorage(registry: Registry, storage: Storage): Storage {
	const begin = createWatch(registry);
	async function measure(operation: Operation, run: (watch: StorageWatch) => Promise<void>) {
		const watch = begin(operation);
		try {
			await run(watch);
		} catch (error) {
			watch.fail();
			throw error;
		} finally {
			watch.end();
		}
	}
	return {
		...storage,
		write: async (name, content) =>
			await measure('write', async (watch) => await storage.write(name, watch.take(content))),
		remove: async (name) => await measure('remove', async () => await storage.remove(name)),
		/** It ends when the content is over. */
		async read(name, range) {
			const watch = begin('read');
			try {
				return watch.give(await storage.read(name, range));
			} catch (error) {
				watch.fail();
				watch.end();
				throw error;
			}
		},
	};
}

function createWatch(registry: Registry) {
	const waits = new Histogram({
		name: 'ec_storage_wait_seconds',
		help: 'Longest single wait of an operation for the storage',
		labelNames: ['operation'],
		buckets: [0.005, 0.02, 0.1, 0.5, 2, 5, 15],
		registers: [registry],
	});
	const errors = new Counter({
		name: 'ec_storage_errors_total',
		help: 'Operations that the storage failed',
		labelNames: ['operation'],
		registers: [registry],
	});
	// So that an increase is seen from the first one on.
	for (const operation of OPERATIONS) errors.inc({ operation }, 0);
	return (operation: Operation) =>
		new StorageWatch(
			(seconds) => waits.observe({ operation }, seconds),
			() => errors.inc({ operation }),
		);
}

/** Watches one operation. It begins with a wait for the storage. */
class StorageWatch {
	private readonly stretch = new Stretch();
	private hasContentFailed = false;

	constructor(
		private readonly onWait: (seconds: number) => void,
		private readonly onError: () => void,
	) {
		this.stretch.begin();
	}

	/** What broke off before it reached the storage is no failure of the storage. */
	fail(): void {
		if (!this.hasContentFailed) this.onError();
	}

	end(): void {
		this.stretch.end();
		this.onWait(this.stretch.longest);
	}

	/** While a piece of the content is waited for, the storage isn't. */
	async *take(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		this.stretch.end();
		try {
			for await (const piece of content) {
				this.stretch.begin();
				yield piece;
				this.stretch.end();
			}
		} catch (error) {
			this.hasContentFailed = true;
			throw error;
		}
		this.stretch.begin();
	}

	/** While somebody uses a piece of the content, the storage isn't waited for. */
	async *give(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		try {
			for await (const piece of content) {
				this.stretch.end();
				yield piece;
				this.stretch.begin();
			}
		} catch (error) {
			this.fail();
			throw error;
		} finally {
			this.end();
		}
	}
}

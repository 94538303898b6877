import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Viewing } from '../viewing/viewing.mts';
import { ViewingError } from '../viewing/viewingError.mts';

const GAUGES = {
	running: [
		'ec_renderings_running',
		'Pages that are drawn or read now, and documents that are converted',
	],
	waiting: [
		'ec_renderings_waiting',
		'Pages that wait to be drawn or read, and documents to be converted',
	],
} as const;

export function watchViewing(registry: Registry, viewing: Viewing): Viewing {
	const seconds = new Histogram({
		name: 'ec_rendering_seconds',
		help: 'How long a page, or the facts or the text of a document, took, with the time in the queue; the outcome is "shown" or why not',
		labelNames: ['task', 'outcome'],
		buckets: [0.05, 0.2, 0.5, 1, 2, 5, 10, 30],
		registers: [registry],
	});
	for (const [state, [name, help]] of Object.entries(GAUGES)) {
		const collect = function (this: Gauge) {
			this.set(viewing.countTasks()[state as keyof typeof GAUGES]);
		};
		new Gauge({ name, help, collect, registers: [registry] });
	}
	async function measure<Value>(task: keyof Viewing, run: () => Promise<Value>): Promise<Value> {
		const end = seconds.startTimer({ task });
		try {
			const value = await run();
			end({ outcome: 'shown' });
			return value;
		} catch (error) {
			end({ outcome: error instanceof ViewingError ? error.problem : 'failed' });
			throw error;
		}
	}
	return {
		...viewing,
		describe: async (...asked) => await measure('describe', () => viewing.describe(...asked)),
		render: async (...asked) => await measure('render', () => viewing.render(...asked)),
		readText: async (...asked) => await measure('readText', () => viewing.readText(...asked)),
	};
}

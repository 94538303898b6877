import { Counter, type Registry } from 'prom-client';
import type { EventLine } from '../containers/trail.mts';

/** Counts events of the trail, once they are committed: uploads, openings, refusals and all others. */
export function countEvents(registry: Registry) {
	const recorded = new Counter({
		name: 'ec_events_total',
		help: 'Events that were recorded, such as container.create, container.open and container.refuse with its reason',
		labelNames: ['action', 'reason'],
		registers: [registry],
	});
	return ({ action, reason = '' }: EventLine) => recorded.inc({ action, reason });
}

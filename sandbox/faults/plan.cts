import type { Fault, FaultStage } from './fault.cts';
import { stageOf } from './fault.cts';
import type { ReceivedRequest } from '../journal.cts';

/** A fault that was planned, and how it went. */
export interface PlannedFault {
	fault: Fault;
	stage: FaultStage;
	/** Matching requests so far. */
	seen: number;
	/** Requests that it met. */
	met: number;
}

interface Entry extends PlannedFault {
	chance: () => number;
}

/** The faults that wait for their requests. The first that matches strikes. */
export class FaultPlan {
	private entries: Entry[] = [];

	/** @returns the plan of this fault; its counts go on */
	add(fault: Fault): PlannedFault {
		const entry = {
			fault,
			stage: stageOf(fault),
			seen: 0,
			met: 0,
			chance: seededChance(fault.seed ?? 1),
		};
		this.entries.push(entry);
		return entry;
	}

	list(): readonly PlannedFault[] {
		return this.entries;
	}

	clear(): void {
		this.entries = [];
	}

	/** @returns the fault that meets this request on its arrival, or later */
	take(record: ReceivedRequest, moment: 'arrival' | 'later'): PlannedFault | undefined {
		for (const entry of this.entries) {
			if ((entry.stage === 'arrival') === (moment === 'arrival') && strikes(entry, record)) {
				record.fault = entry.fault.kind;
				return entry;
			}
		}
		return undefined;
	}
}

function strikes(entry: Entry, { method, path }: ReceivedRequest): boolean {
	const { fault } = entry;
	if (fault.method !== undefined && fault.method !== method) return false;
	if (fault.path !== undefined && path.search(fault.path) === -1) return false;
	const times = fault.times ?? (fault.probability === undefined ? 1 : Infinity);
	if (entry.met >= times) return false;
	entry.seen += 1;
	if (entry.seen < (fault.nth ?? 1)) return false;
	if (fault.probability !== undefined && entry.chance() >= fault.probability) return false;
	entry.met += 1;
	return true;
}

/** Mulberry32: evenly spread numbers from 0 to 1, the same for the same seed. */
function seededChance(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
}

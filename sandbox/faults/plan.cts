import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { Fault, FaultStage } from './fault.cts';
import { getStage } from './fault.cts';
import type { ReceivedRequest } from '../journal.cts';

/** A planned fault and what has happened to it. */
export interface PlannedFault {
	fault: Fault;
	stage: FaultStage;
	/** Matching requests so far. */
	matched: number;
	/** Requests that it was applied to. */
	applied: number;
}

interface Entry extends PlannedFault {
	random: () => number;
}

/** The faults that wait for their requests. The first that matches is applied. */
export class FaultPlan {
	private entries: Entry[] = [];

	/** @returns the planned fault; its counts stay current */
	add(fault: Fault): PlannedFault {
		const numbers = mersenne(fault.seed ?? 1);
		const entry = {
			fault,
			stage: getStage(fault),
			matched: 0,
			applied: 0,
			random: () => uniformFloat64(numbers),
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

	/** @returns the fault to apply to this request on its arrival, or later */
	take(record: ReceivedRequest, moment: 'arrival' | 'later'): PlannedFault | undefined {
		for (const entry of this.entries) {
			if ((entry.stage === 'arrival') === (moment === 'arrival') && applies(entry, record)) {
				record.fault = entry.fault.kind;
				return entry;
			}
		}
		return undefined;
	}
}

function applies(entry: Entry, { method, path }: ReceivedRequest): boolean {
	const { fault } = entry;
	if (fault.method !== undefined && fault.method !== method) return false;
	if (fault.path !== undefined && path.search(fault.path) === -1) return false;
	const times = fault.times ?? (fault.probability === undefined ? 1 : Infinity);
	if (entry.applied >= times) return false;
	entry.matched += 1;
	if (entry.matched < (fault.nth ?? 1)) return false;
	if (fault.probability !== undefined && entry.random() >= fault.probability) return false;
	entry.applied += 1;
	return true;
}

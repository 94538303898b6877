/** What was measured of one case in one round. */
export interface Sample {
	/** Of the work alone, without the start of its process. */
	seconds: number;
	/** Highest resident set of the whole process; undefined where the system does not tell (not Linux). */
	peakBytes?: number;
	/** Requests that the service received. */
	requests?: number;
}

/** Everything that was measured of a case. */
export interface Case {
	name: string;
	samples: Sample[];
}

/** The middle of the values; of an even number of values, the mean of the two in the middle. */
export function median(values: number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = Math.floor(sorted.length / 2);
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median time of a case. */
export function secondsOf({ samples }: Case): number {
	return median(samples.map(({ seconds }) => seconds));
}

/** The median peak of a case's process; undefined where it could not be read. */
export function peakOf({ samples }: Case): number | undefined {
	const peaks = samples.flatMap(({ peakBytes }) => (peakBytes === undefined ? [] : [peakBytes]));
	return peaks.length === 0 ? undefined : median(peaks);
}

/** By how much the median peak of a case is over that of the idle case; undefined where it could not be read. */
export function growthOf(one: Case, idle: Case): number | undefined {
	const peak = peakOf(one);
	const base = peakOf(idle);
	return peak === undefined || base === undefined ? undefined : peak - base;
}

/** The most requests that the service received in any round of a case. */
export function mostRequestsOf({ samples }: Case): number | undefined {
	const counts = samples.flatMap(({ requests }) => (requests === undefined ? [] : [requests]));
	return counts.length === 0 ? undefined : Math.max(...counts);
}

/**
 * Measures cases round by round, each round starting with another case, so that whatever changes on the machine
 * meanwhile meets all of them alike.
 *
 * @param rounds how often each is measured
 * @param cases names and what measures them once
 * @param told called before each measurement
 */
export async function interleave<Name extends string>(
	rounds: number,
	cases: Record<Name, () => Promise<Sample>>,
	told: (name: Name, round: number) => void,
): Promise<Record<Name, Case>> {
	const names = Object.keys(cases) as Name[];
	const measured = {} as Record<Name, Case>;
	for (const name of names) measured[name] = { name, samples: [] };
	for (let round = 0; round < rounds; round += 1) {
		for (let place = 0; place < names.length; place += 1) {
			const name = names[(place + round) % names.length];
			told(name, round + 1);
			measured[name].samples.push(await cases[name]());
		}
	}
	return measured;
}

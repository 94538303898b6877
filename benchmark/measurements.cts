/** One measurement of a case. */
export interface Sample {
	/** Time of the work without the start of its process. */
	seconds: number;
	/** Peak resident memory and processor time of the process; undefined except on Linux. */
	peakBytes?: number;
	processorSeconds?: number;
	/** Number of requests that the service received. */
	requests?: number;
}

/** All measurements of one case. */
export interface Case {
	name: string;
	samples: Sample[];
}

/** @returns undefined when there are no values */
function getMedian(values: number[]): number | undefined {
	if (values.length === 0) return undefined;
	const sorted = [...values].sort((one, other) => one - other);
	const middle = (sorted.length - 1) / 2;
	return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

const isNumber = (value: number | undefined) => value !== undefined;

export function getMedianSeconds({ samples }: Case): number {
	return getMedian(samples.map(({ seconds }) => seconds)) ?? 0;
}

/** Returns the median processor time of a case without that of the baseline. */
export function getProcessorGrowth(measured: Case, baseline: Case): number | undefined {
	const toMedian = ({ samples }: Case) =>
		getMedian(samples.map(({ processorSeconds }) => processorSeconds).filter(isNumber));
	const [own, base] = [toMedian(measured), toMedian(baseline)];
	return own === undefined || base === undefined ? undefined : own - base;
}

function getMedianPeak({ samples }: Case): number | undefined {
	return getMedian(samples.map(({ peakBytes }) => peakBytes).filter(isNumber));
}

/** Returns how many bytes the median peak of a case is above that of the baseline. */
export function getMemoryGrowth(measured: Case, baseline: Case): number | undefined {
	const peak = getMedianPeak(measured);
	const base = getMedianPeak(baseline);
	return peak === undefined || base === undefined ? undefined : peak - base;
}

/** Returns the largest number of requests in any round. */
export function getMaxRequests({ samples }: Case): number | undefined {
	const counts = samples.map(({ requests }) => requests).filter(isNumber);
	return counts.length === 0 ? undefined : Math.max(...counts);
}

/**
 * Measures the cases round by round. Each round starts with another case, so that changes on the machine
 * affect all cases equally.
 * @param onMeasure called before each measurement
 */
export async function measureRounds<Name extends string>(
	rounds: number,
	cases: Record<Name, () => Promise<Sample>>,
	onMeasure: (name: Name, round: number) => void,
): Promise<Record<Name, Case>> {
	const names = Object.keys(cases) as Name[];
	const measured = {} as Record<Name, Case>;
	for (const name of names) measured[name] = { name, samples: [] };
	for (let round = 0; round < rounds; round += 1) {
		for (let index = 0; index < names.length; index += 1) {
			const name = names[(index + round) % names.length];
			onMeasure(name, round + 1);
			measured[name].samples.push(await cases[name]());
		}
	}
	return measured;
}

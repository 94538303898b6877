import type { WorkflowJson } from '../tools/realN8n/workflow.cts';
import type { ScenarioContext } from './run.cts';

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

/** The medians of all measurements of one case. What can't be measured is NaN. */
export interface Case extends Required<Sample> {
	/** The time of each round. */
	rounds: number[];
}

export const NOTHING: Case = {
	...{ seconds: 0, peakBytes: 0, processorSeconds: 0, requests: 0, rounds: [] },
};

function getMedian(values: Array<number | undefined>): number {
	const sorted = values.map((value = NaN) => value).sort((one, other) => one - other);
	const middle = (sorted.length - 1) / 2;
	return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

/**
 * Measures the cases round by round. Each round starts with another case, so that changes on the machine
 * affect all cases equally.
 */
export async function measureRounds<Name extends string>(
	{ settings, progress }: Pick<ScenarioContext, 'settings' | 'progress'>,
	title: string,
	cases: Record<Name, () => Promise<Sample>>,
): Promise<Record<Name, Case>> {
	const names = Object.keys(cases) as Name[];
	const samples = Object.fromEntries(names.map((name): [string, Sample[]] => [name, []]));
	for (let round = 0; round < settings.rounds; round += 1) {
		for (let index = 0; index < names.length; index += 1) {
			const name = names[(index + round) % names.length];
			progress.log(`${title}, round ${round + 1}: ${name}`);
			samples[name].push(await cases[name]());
		}
	}
	const toCase = (name: Name) => ({
		seconds: getMedian(samples[name].map(({ seconds }) => seconds)),
		peakBytes: getMedian(samples[name].map(({ peakBytes }) => peakBytes)),
		processorSeconds: getMedian(samples[name].map(({ processorSeconds }) => processorSeconds)),
		requests: Math.max(...samples[name].map(({ requests = NaN }) => requests)),
		rounds: samples[name].map(({ seconds }) => seconds),
	});
	return Object.fromEntries(names.map((name) => [name, toCase(name)])) as Record<Name, Case>;
}

interface Hooks<Name> {
	before?(name: Name): Promise<void>;
	/** @throws when the service did not receive what it should */
	check?(name: Name): Promise<void>;
}

/** Imports workflows and measures each of them, as often as the settings say. */
export async function measureWorkflows<Name extends string>(
	context: ScenarioContext,
	title: string,
	workflows: Record<Name, WorkflowJson>,
	{ before, check }: Hooks<Name> = {},
	others: Record<string, () => Promise<Sample>> = {},
): Promise<Record<Name, Case> & Record<string, Case>> {
	const { n8n, measure } = context.environment;
	await n8n.importWorkflows(Object.values(workflows));
	const cases = Object.entries<WorkflowJson>(workflows).map(([name, { id }]) => {
		const run = async () => {
			await before?.(name as Name);
			const sample = await measure(id);
			await check?.(name as Name);
			return sample;
		};
		return [name, run];
	});
	return await measureRounds(context, title, { ...Object.fromEntries(cases), ...others });
}

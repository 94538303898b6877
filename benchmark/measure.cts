import type { WorkflowJson } from '../tools/realN8n/workflow.cts';
import { log } from '../tools/tool.cts';
import type { ScenarioContext } from './run.cts';

/** One measurement of a case. */
export interface Sample {
	/** Time of the work without the start of its process. */
	seconds: number;
	/** Peak resident memory and processor time of the process; undefined except on Linux. */
	peakBytes?: number;
	processorSeconds?: number;
	/** Number of requests that the service received. */
	requests: number;
}

/** The medians of all measurements of one case, and the time of each round. What can't be measured is NaN. */
export interface Case extends Required<Sample> {
	rounds: number[];
}

export function getMedian(values: Array<number | undefined>): number {
	const sorted = values.map((value = NaN) => value).sort((one, other) => one - other);
	const middle = (sorted.length - 1) / 2;
	return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

type Measure = () => Promise<Sample>;

/**
 * Imports workflows and measures each of them, and what measures itself, as often as the settings say. Each round starts with another one, so that
 * changes on the machine affect all equally. `check` throws when the service did not receive what it should.
 */
export async function measureWorkflows<Name extends string>(
	{ environment: { importWorkflows, measure }, settings }: ScenarioContext,
	title: string,
	workflows: Record<Name, WorkflowJson | Measure>,
	{ before, check }: Partial<Record<'before' | 'check', (name: Name) => Promise<void>>> = {},
): Promise<Record<Name, Case>> {
	const measured = Object.values<WorkflowJson | Measure>(workflows);
	await importWorkflows(measured.filter((one) => typeof one !== 'function'));
	const names = Object.keys(workflows) as Name[];
	const samples = Object.fromEntries(names.map((name): [string, Sample[]] => [name, []]));
	for (let round = 0; round < settings.rounds; round += 1) {
		for (let index = 0; index < names.length; index += 1) {
			const name = names[(index + round) % names.length];
			log(`${title}, round ${round + 1}: ${name}`);
			await before?.(name);
			const one: WorkflowJson | Measure = workflows[name];
			samples[name].push(typeof one === 'function' ? await one() : await measure(one.id));
			await check?.(name);
		}
	}
	const toCase = (name: Name): Case => ({
		seconds: getMedian(samples[name].map(({ seconds }) => seconds)),
		peakBytes: getMedian(samples[name].map(({ peakBytes }) => peakBytes)),
		processorSeconds: getMedian(samples[name].map(({ processorSeconds }) => processorSeconds)),
		requests: Math.max(...samples[name].map(({ requests }) => requests)),
		rounds: samples[name].map(({ seconds }) => seconds),
	});
	return Object.fromEntries(names.map((name) => [name, toCase(name)])) as Record<Name, Case>;
}

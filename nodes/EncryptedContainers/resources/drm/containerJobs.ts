import type { IDataObject } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import type { Call, Job, ParsedItem, RunServices } from '../../execution/operation';
import { changeRules, describeContainer } from './changeRules';
import { findFixed, planChange, planEnd } from './ruleChanges';
import type { ContainerEntry, Selection } from './selectContainers';
import { fetchContainers } from './selectContainers';

export const DRY_RUN_HINT = 'This was a dry run. No rules were changed.';

/** What to do with a container. */
export interface Decision {
	/** What the output says of it, beside its ID and name. */
	output: IDataObject;
	/** The rules to set, or that access ends. */
	change?: DrmRules | 'end';
}

/** What an operation does with many containers. */
export interface ContainerTask {
	/** The rules that must be understood. */
	needs: string[];
	/** Decides by the current rules; undefined for a container that the operation is not about. */
	decide(rules: DrmRules, container: ContainerEntry): Decision | undefined;
	/** Whether nothing is changed. */
	dryRun: boolean;
	/** What the output also says of a container that failed. */
	failedFields?: IDataObject;
}

/** The jobs for the containers of each item, one item after the other. An item that fails is one job. */
export async function* planContainers<Input extends { selection: Selection }>(
	parsed: Array<ParsedItem<Input>>,
	run: RunServices,
	toTask: (input: Input, call: Call) => ContainerTask,
): AsyncGenerator<Job[], void, undefined> {
	for (const { item, input, error } of parsed) {
		let jobs: Job[] = [];
		let failure = error;
		if (input !== undefined) {
			try {
				const call = await run.connect(item);
				const containers = await fetchContainers(call, input.selection);
				const task = toTask(input, call);
				if (task.dryRun) run.addHint(DRY_RUN_HINT);
				jobs = createContainerJobs(call, containers, task);
			} catch (cause) {
				failure = cause as Error;
			}
		}
		// Also where no container matches: the item is done.
		const noJob = run.createJob({ item, error: failure } as ParsedItem<Input>, async () => []);
		yield jobs.length === 0 ? [noJob] : jobs;
	}
}

/** A job for each container: reads its rules, decides, and changes them. One that fails doesn't hold back the others. */
export function createContainerJobs(
	call: Call,
	containers: ContainerEntry[],
	task: ContainerTask,
): Job[] {
	const { item, run } = call;
	return containers.map((entry) => {
		const { id, name } = entry;
		const container = { containerId: id, ...(name === undefined ? {} : { name }) };
		const job = run.createJob({ item, input: {} }, async () => {
			const output = await runTask(call, entry, task);
			return output === undefined ? [] : [{ ...container, ...output }];
		});
		return {
			...job,
			send: async () =>
				await job.send().catch((error: Error) => {
					// An error of the service doesn't say which container it is about.
					const isNamed = error.message.includes(name ?? id);
					const names = describeContainer(call.client, id, name);
					if (!isNamed) error.message = `${names}: ${error.message}`;
					throw error;
				}),
			id: `${item.index} ${id}`,
			isIndependent: true,
			getErrorFields: ({ message }) => ({
				...container,
				...task.failedFields,
				action: 'failed',
				reason: message,
			}),
		};
	});
}

async function runTask(
	call: Call,
	entry: ContainerEntry,
	{ needs, decide, dryRun }: ContainerTask,
): Promise<IDataObject | undefined> {
	let output: IDataObject | undefined;
	await changeRules(call, entry, needs, (shown, container, earlier) => {
		const { rules = {} } = shown ?? {};
		const decision = decide(rules, entry);
		output = decision?.output;
		const change = decision?.change;
		if (change === undefined) {
			if (earlier.isShown?.(rules)) output = earlier.output;
			return undefined;
		}
		const planned = change === 'end' ? planEnd(shown) : planChange({ ...rules, ...change }, change);
		const isShown = (later: DrmRules) =>
			planned?.findProblem({ rules: later, record: {}, doubts: {} }, false) === undefined;
		if (!dryRun) return planned && { ...planned, sent: { output, isShown } };
		const fixed = findFixed(rules, container);
		if (fixed !== undefined) output = { ...output, action: 'failed', reason: fixed.message };
		else if (output?.reason !== undefined) output.reason = `Dry run: ${String(output.reason)}`;
		return undefined;
	});
	return output;
}

import type { IDataObject } from 'n8n-workflow';

import { parseRules, type ShownRules } from '../../../shared/api/drmRules';
import { isNotFound } from '../../../shared/errors/serviceError';
import type { Item } from '../../execution/item';
import { createJob, type Job } from '../../execution/operation';
import { changeRules, describeContainer } from './changeRules';
import type { ContainerEntry, RulesTask } from './changeRules';
import { findFixed } from './ruleChanges';
import type { Summary } from './summary';

export interface ContainerTask extends RulesTask {
	/** What the output also says of a container that failed. */
	failedFields?: IDataObject;
}

interface Batch {
	item: Item;
	task: ContainerTask;
	isDryRun: boolean;
	/** What a dry run led to so far, by the ID of the container. */
	simulated: Map<string, ShownRules>;
	summary: Summary;
}

/** A job for each container: reads its rules, decides, and changes them. */
export function createContainerJobs(batch: Batch, containers: ContainerEntry[]): Job[] {
	const { item, isDryRun, summary } = batch;
	if (isDryRun) item.run.addHint('This was a dry run. No rules were changed.');
	return containers.map((entry) => {
		const job = createJob({ item }, async () => {
			const output = await runJob(batch, entry);
			if (output === undefined) return [];
			summary.isAnyDone = true;
			return [{ ...identify(entry), ...output, ...(isDryRun ? { dryRun: true } : {}) }];
		});
		return {
			...job,
			id: `${item.index} ${entry.id}`,
			isIndependent: true,
			getErrorFields: (error) => ({ ...identify(entry), ...describeFailure(batch, error) }),
		};
	});
}

async function runJob(batch: Batch, entry: ContainerEntry): Promise<IDataObject | undefined> {
	const { item, task, isDryRun, summary } = batch;
	const { id, name, isListed } = entry;
	const decide: RulesTask['decide'] = (shown, title) =>
		isDryRun ? simulate(batch, id, shown, title) : task.decide(shown, title);
	try {
		const { output } = await changeRules(item, entry, { ...task, decide });
		return output;
	} catch (error) {
		if (isListed && isNotFound(error)) {
			summary.gone += 1;
			return undefined;
		}
		// An error of the service doesn't say which container it is about.
		const { message } = error as Error;
		const isNamed = message.includes(`"${name ?? id}"`);
		const title = describeContainer(item.client, entry);
		throw Object.assign(error as Error, { message: isNamed ? message : `${title}: ${message}` });
	}
}

/** Decides by what the dry run led to so far, and sends nothing. */
function simulate(batch: Batch, id: string, read: ShownRules, title: string) {
	const shown = batch.simulated.get(id) ?? read;
	const change = batch.task.decide(shown, title);
	if (change?.patch === undefined) return change;
	const fixed = findFixed(shown.rules, title);
	if (fixed !== undefined) return { output: describeFailure(batch, fixed) };
	const { rules } = parseRules({ ...shown.rules, ...change.patch } as IDataObject);
	batch.simulated.set(id, { ...shown, rules });
	return { output: change.output };
}

function identify({ id, name }: ContainerEntry): IDataObject {
	return { containerId: id, ...(name === undefined ? {} : { name }) };
}

function describeFailure({ task, isDryRun }: Batch, { message }: Error): IDataObject {
	const reason = `${isDryRun ? 'Would fail: ' : ''}${message}`;
	return { ...task.failedFields, action: 'failed', reason };
}

/** The beginnings of a reason: `Removed`, or in a dry run `Would remove`. */
export function createVerbs(isDryRun: boolean, ...verbs: string[]): string[] {
	return verbs.map((verb) =>
		isDryRun ? `Would ${verb.toLowerCase()}` : `${verb}${verb.endsWith('e') ? 'd' : 'ed'}`,
	);
}

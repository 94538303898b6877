import { UserError, type IDataObject } from 'n8n-workflow';

import { findContainerLink } from '../../../shared/api/links';
import { withFirst } from '../../../shared/api/records';
import { extendError, isNotFound } from '../../../shared/errors/errors';
import type { Item } from '../../execution/item';
import { createJob, type Job, type ParsedItem } from '../../execution/operation';
import { fetchContainers, type Selection } from './containerSelection';
import {
	readModifyWrite,
	describeContainer,
	type ContainerEntry,
	type RulesTask,
} from './readModifyWrite';
import type { RulesChange } from './ruleChanges';

export interface ContainersInput {
	selection: Selection;
	/** A reason in its output begins with what was done: `Removed anna@x.example.` */
	task: RulesTask;
	failedFields?: IDataObject;
	/** Looks at what is decided for all containers before the first one changes. @throws UserError where it is too much */
	assertDecisions?(decisions: Decisions): void;
}

/** What is to become of each container, by its ID; none of those that can't be read. */
export type Decisions = Map<string, RulesChange | undefined>;

/** For each item, the jobs of its containers. */
export async function* planContainers(parsed: Array<ParsedItem<ContainersInput>>) {
	for (const entry of parsed) {
		let containers: ContainerEntry[] = [];
		const list = createJob(entry, async (item, input) => {
			containers = await listContainers(item, input);
			return [];
		});
		yield [{ ...list, id: `list ${list.id}`, isRepeated: true }];
		const { item, input } = entry;
		if (input === undefined) continue;
		const decisions: Decisions = new Map();
		// One that is chosen is meant.
		if (input.assertDecisions !== undefined && containers.length > 1) {
			yield containers.map((container) => createLookJob(item, { container, input, decisions }));
			let mayChange = false;
			const brake = createJob(entry, () => {
				input.assertDecisions?.(decisions);
				mayChange = true;
				return [];
			});
			yield [{ ...brake, id: `brake ${brake.id}`, isRepeated: true }];
			if (!mayChange) continue;
		}
		yield containers.map((container) => createContainerJob(item, { container, input, decisions }));
	}
}

/** A job for each container of a selection: reads its rules, decides, and changes them. */
export async function createContainerJobs(item: Item, input: ContainersInput): Promise<Job[]> {
	const containers = await listContainers(item, input);
	const decisions: Decisions = new Map();
	return containers.map((container) => createContainerJob(item, { container, input, decisions }));
}

async function listContainers(item: Item, { selection, task }: ContainersInput) {
	if (task.isDryRun) item.execution.addHint('This was a dry run. No rules were changed.');
	return await fetchContainers(item, selection);
}

interface ContainerWork {
	container: ContainerEntry;
	input: ContainersInput;
	/** What was decided before, by the rules at that time. */
	decisions: Decisions;
}

/** Reads the rules of a container, and keeps what is decided. Where it fails, the job of the container will say so. */
function createLookJob(item: Item, { container, input, decisions }: ContainerWork): Job {
	const { task } = input;
	const look: RulesTask = {
		needs: task.needs,
		isDryRun: true,
		decide(shown, title) {
			const change = task.decide(shown, title);
			decisions.set(container.id, change);
			return change;
		},
	};
	const send = async () => {
		await readModifyWrite(item, container, look).catch(() => decisions.delete(container.id));
		return [];
	};
	const id = `look ${item.index} ${container.id}`;
	return { ...createJob({ item }, send), id, isRepeated: true };
}

function createContainerJob(item: Item, work: ContainerWork): Job {
	const { container, input, decisions } = work;
	const { selection, task } = input;
	const send = async () => {
		const decided = decisions.get(container.id);
		const isLeft = decisions.has(container.id) && (task.isDryRun || !decided?.patch);
		// What an earlier try changed needs no change any more, and its output is that change.
		const isDone = isLeft && item.recallChange(container.id) === undefined;
		try {
			const { output } = isDone
				? { output: decided?.output }
				: await readModifyWrite(item, container, task);
			return output ? [await addLink(item, work, describeOutput(work, output))] : [];
		} catch (error) {
			if (selection.containerId === undefined && isNotFound(error)) {
				item.execution.addHint('Containers that were deleted meanwhile were passed over.');
				return [];
			}
			const failure = nameContainer(error as Error, item, container);
			if (task.isDryRun && failure instanceof UserError) {
				return [await addLink(item, work, describeFailure(work, failure))];
			}
			throw failure;
		}
	};
	return {
		...createJob({ item }, send),
		id: `${item.index} ${container.id}`,
		isIndependent: true,
		getErrorFields: (error) => describeFailure(work, error),
	};
}

function describeOutput({ container, input }: ContainerWork, output: IDataObject): IDataObject {
	const { id: containerId, name } = container;
	const named = name === undefined ? { containerId } : { containerId, name };
	const fields = { ...named, ...output };
	if (!input.task.isDryRun) return fields;
	const done = String(output.reason).replace(/^./, (letter) => letter.toLowerCase());
	return { ...fields, dryRun: true, reason: `Would have ${done}` };
}

async function addLink({ client }: Item, { container }: ContainerWork, output: IDataObject) {
	const { id, record = {} } = container;
	const link = await findContainerLink(client, id, record);
	return withFirst({ containerId: id, link }, output);
}

function describeFailure(work: ContainerWork, { message }: Error): IDataObject {
	const { failedFields, task } = work.input;
	const reason = task.isDryRun ? `Failed: ${message}` : message;
	return describeOutput(work, { ...failedFields, action: 'failed', reason });
}

/** An error of the service doesn't say which container it is about. */
function nameContainer(error: Error, item: Item, entry: ContainerEntry): Error {
	if (error.message.includes(`"${entry.name ?? entry.id}"`)) return error;
	return extendError(error, { message: `${describeContainer(item, entry)}: ${error.message}` });
}

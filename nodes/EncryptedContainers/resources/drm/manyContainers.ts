import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';

import { CONTAINER_LIST, fetchEntries } from '../../../shared/api/lists';
import { fold, matchesName } from '../../../shared/api/records';
import { nameContainsOption } from '../../../shared/descriptions/options';
import { extendError, isNotFound } from '../../../shared/errors/errors';
import { createMatcher } from '../../../shared/parameters/addresses';
import { readQuery, type QueryParameters } from '../../../shared/parameters/requests';
import { listSome } from '../../../shared/parameters/values';
import { choiceField, containerLocator } from '../../descriptions/commonFields';
import type { Item } from '../../execution/item';
import { createJob, type Job, type ParsedItem } from '../../execution/operation';
import {
	readModifyWrite,
	describeContainer,
	type ContainerEntry,
	type RulesTask,
} from './readModifyWrite';
import type { RulesChange } from './ruleChanges';

export interface ContainersInput {
	/** Without `containerId`, all with a matching name. */
	selection: {
		containerId?: string;
		nameContains: string;
		/** Whether it is the whole name of one container, unless it has a `*`. */
		isWholeName?: boolean;
		query: QueryParameters;
	};
	/** A reason in its output begins with what was done: `Removed anna@x.example.` */
	task: RulesTask;
	failedFields?: IDataObject;
	/** Looks at what is decided for all containers before the first one changes. @throws UserError where it is too much */
	assertDecisions?(decisions: Decisions): void;
}

type Selection = ContainersInput['selection'];

/** What is to become of each container, by its ID; none of those that can't be read. */
export type Decisions = Map<string, RulesChange | undefined>;

const containersField = choiceField(
	['Containers', 'containers', 'all'],
	{ all: ['All'], byName: ['By Name'], one: ['One'] },
	'Which containers to work on',
);

const byName = { displayOptions: { show: { containers: ['byName'] } } };

const namePartField = { ...nameContainsOption, required: true };

const wholeNameField = {
	...namePartField,
	displayName: 'Name',
	description:
		'The whole name of the container, in capitals or not. With *, which stands for any characters, all containers with such a name.',
	placeholder: 'e.g. Project A, or Project A *',
};

/** For an operation on all, some or one of the containers. */
export const selectionFields: INodeProperties[] = [
	containersField,
	{ ...containerLocator, displayOptions: { show: { containers: ['one'] } } },
	{ ...namePartField, ...byName },
];

/** For an operation that gives access: to one container, or to those that somebody names. */
export const wholeNameSelectionFields: INodeProperties[] = [
	{
		...containersField,
		options: containersField.options.filter(({ value }) => value !== 'all'),
		default: 'one',
	},
	{ ...containerLocator, displayOptions: { show: { containers: ['one'] } } },
	{ ...wholeNameField, ...byName },
];

export function parseSelection(item: Item, { isWholeName }: { isWholeName: boolean }): Selection {
	const choice = item.read(containersField);
	const all = { nameContains: '', isWholeName, query: readQuery(item) };
	if (choice === 'one') return { ...all, containerId: item.parsePathParam(containerLocator) };
	if (choice === 'all') return all;
	return { ...all, nameContains: item.read(isWholeName ? wholeNameField : namePartField) };
}

/** For each item, the jobs of its containers. */
export async function* planContainers(parsed: Array<ParsedItem<ContainersInput>>) {
	for (const entry of parsed) {
		let containers: ContainerEntry[] = [];
		const list = createJob(entry, async (item, input) => {
			containers = await fetchContainers(item, input);
			return [];
		});
		yield [{ ...list, id: `list ${list.id}`, isRepeated: true }];
		const { item, input } = entry;
		if (input === undefined) continue;
		const decisions: Decisions = new Map();
		// One that is chosen is meant.
		if (input.assertDecisions !== undefined && containers.length > 1) {
			yield containers.map((container) => createLookJob(item, { container, input, decisions }));
			const brake = createJob(entry, async () => {
				const all = containers;
				containers = [];
				input.assertDecisions?.(decisions);
				containers = all;
				return await Promise.resolve([]);
			});
			yield [{ ...brake, id: `brake ${brake.id}`, isRepeated: true }];
		}
		yield containers.map((container) => createContainerJob(item, { container, input, decisions }));
	}
}

/** A job for each container of a selection: reads its rules, decides, and changes them. */
export async function createContainerJobs(item: Item, input: ContainersInput): Promise<Job[]> {
	const containers = await fetchContainers(item, input);
	const decisions: Decisions = new Map();
	return containers.map((container) => createContainerJob(item, { container, input, decisions }));
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
		const isDone = decisions.has(container.id) && (task.isDryRun || !decided?.patch);
		try {
			const { output } = isDone
				? { output: decided?.output }
				: await readModifyWrite(item, container, task);
			return output ? [describeOutput(work, output)] : [];
		} catch (error) {
			if (selection.containerId === undefined && isNotFound(error)) {
				item.execution.addHint('Containers that were deleted meanwhile were passed over.');
				return [];
			}
			const failure = nameContainer(error as Error, item, container);
			if (task.isDryRun && failure instanceof UserError) return [describeFailure(work, failure)];
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
	const { id: containerId, ...named } = container;
	const fields = { containerId, ...named, ...output };
	if (!input.task.isDryRun) return fields;
	const done = String(output.reason).replace(/^./, (letter) => letter.toLowerCase());
	return { ...fields, dryRun: true, reason: `Would have ${done}` };
}

function describeFailure(work: ContainerWork, { message }: Error): IDataObject {
	const { failedFields, task } = work.input;
	const reason = task.isDryRun ? `Failed: ${message}` : message;
	return describeOutput(work, { ...failedFields, action: 'failed', reason });
}

async function fetchContainers(
	item: Item,
	{ selection, task }: ContainersInput,
): Promise<ContainerEntry[]> {
	if (task.isDryRun) item.execution.addHint('This was a dry run. No rules were changed.');
	const { containerId, nameContains, query } = selection;
	if (containerId !== undefined) return [{ id: containerId }];
	const { client, execution } = item;
	const userId = await item.getUserId();
	const key = `containers of ${JSON.stringify([userId, query])}`;
	const fetchAll = async () => await fetchEntries(client, CONTAINER_LIST, userId, { query });
	const entries = await item.memoize(key, fetchAll);
	const found = entries.filter(({ name }) => isSelected(name, selection));
	const isUnmatched = found.length === 0 && nameContains !== '';
	const wanted = selection.isWholeName ? 'the name' : 'a name that contains';
	const hint = isUnmatched ? `No container has ${wanted} "${nameContains}". ` : '';
	const what = entries.length === 1 ? 'container' : 'containers';
	execution.addHint(`${hint}${entries.length} ${what} read.`);
	const containers = found.map(({ id, name }) => (name === undefined ? { id } : { id, name }));
	assertOneName(item, selection, containers);
	return containers;
}

function isSelected(name = '', { nameContains, isWholeName }: Selection): boolean {
	if (!isWholeName) return matchesName(name, nameContains);
	const wanted = fold(nameContains.trim());
	const shown = fold(name.trim());
	return wanted.includes('*') ? createMatcher(wanted)(shown) : shown === wanted;
}

/** @throws UserError where several containers have a name that is meant for one */
function assertOneName(item: Item, selection: Selection, containers: ContainerEntry[]): void {
	const { nameContains, isWholeName } = selection;
	if (!isWholeName || containers.length < 2 || nameContains.includes('*')) return;
	const titles = containers.map((container) => describeContainer(item, container));
	const message = `${containers.length} containers have the name "${nameContains}"`;
	throw new UserError(message, {
		description: `Nothing was changed. They are: ${listSome(titles)}. Set "${containersField.displayName}" to One and choose the one that you mean; or, to change all of them, enter a name with * in "${wholeNameField.displayName}".`,
	});
}

/** An error of the service doesn't say which container it is about. */
function nameContainer(error: Error, item: Item, entry: ContainerEntry): Error {
	if (error.message.includes(`"${entry.name ?? entry.id}"`)) return error;
	return extendError(error, { message: `${describeContainer(item, entry)}: ${error.message}` });
}

import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';

import { CONTAINER_LIST, fetchEntries } from '../../../shared/api/lists';
import { matchesName } from '../../../shared/api/records';
import { nameContainsOption } from '../../../shared/descriptions/options';
import { extendError, isNotFound } from '../../../shared/errors/errors';
import { readQuery, type QueryParameters } from '../../../shared/parameters/requests';
import { choiceField, containerLocator } from '../../descriptions/commonFields';
import type { Execution } from '../../execution/execution';
import type { Item } from '../../execution/item';
import { createJob, type Job, type ParsedItem } from '../../execution/operation';
import {
	readModifyWrite,
	describeContainer,
	type ContainerEntry,
	type RulesTask,
} from './readModifyWrite';

interface ContainersInput {
	/** Without `containerId`, all with a matching name. */
	selection: { containerId?: string; nameContains: string; query: QueryParameters };
	/** A reason in its output begins with what was done: `Removed anna@x.example.` */
	task: RulesTask;
	failedFields?: IDataObject;
}

type Selection = ContainersInput['selection'];

const containersField = choiceField(
	['Containers', 'containers', 'all'],
	{ all: ['All'], byName: ['By Name'], one: ['One'] },
	'Which containers to work on',
);

const namePartField = { ...nameContainsOption, required: true };

export function selectionFields(preset: 'all' | 'one'): INodeProperties[] {
	const options = containersField.options.filter(
		({ value }) => preset === 'all' || value !== 'all',
	);
	return [
		{ ...containersField, options, default: preset },
		{ ...containerLocator, displayOptions: { show: { containers: ['one'] } } },
		{ ...namePartField, displayOptions: { show: { containers: ['byName'] } } },
	];
}

export function parseSelection(item: Item): Selection {
	const choice = item.read(containersField);
	const all = { nameContains: '', query: readQuery(item) };
	if (choice === 'one') return { ...all, containerId: item.parsePathParam(containerLocator) };
	return choice === 'all' ? all : { ...all, nameContains: item.read(namePartField) };
}

/** For each item, the jobs of its containers. */
export async function* planContainers(parsed: Array<ParsedItem<ContainersInput>>, run: Execution) {
	for (const entry of parsed) {
		let jobs: Job[] = [];
		const list = createJob(entry, async (item, input) => {
			jobs = await createContainerJobs(item, input);
			return [];
		});
		yield [{ ...list, id: `list ${run.tries.count} ${list.id}` }];
		yield jobs;
	}
}

/** A job for each container of a selection: reads its rules, decides, and changes them. */
export async function createContainerJobs(item: Item, input: ContainersInput): Promise<Job[]> {
	const { selection, task, failedFields } = input;
	const { isDryRun } = task;
	if (isDryRun) item.run.addHint('This was a dry run. No rules were changed.');
	const containers = await fetchContainers(item, selection);
	return containers.map((entry) => {
		const { id: containerId, ...named } = entry;
		const describe = (output: IDataObject): IDataObject => {
			const fields = { containerId, ...named, ...output };
			if (!isDryRun) return fields;
			const done = String(output.reason).replace(/^./, (letter) => letter.toLowerCase());
			return { ...fields, dryRun: true, reason: `Would have ${done}` };
		};
		const describeFailure = ({ message }: Error) => {
			const reason = isDryRun ? `Failed: ${message}` : message;
			return describe({ ...failedFields, action: 'failed', reason });
		};
		const send = async () => {
			try {
				const { output } = await readModifyWrite(item, entry, task);
				return output ? [describe(output)] : [];
			} catch (error) {
				if (selection.containerId === undefined && isNotFound(error)) {
					item.run.addHint('Containers that were deleted meanwhile were passed over.');
					return [];
				}
				const failure = nameContainer(error as Error, item, entry);
				if (isDryRun && failure instanceof UserError) return [describeFailure(failure)];
				throw failure;
			}
		};
		const job = createJob({ item }, send);
		const id = `${item.index} ${containerId}`;
		return { ...job, id, isIndependent: true, getErrorFields: describeFailure };
	});
}

async function fetchContainers(item: Item, selection: Selection): Promise<ContainerEntry[]> {
	const { containerId, nameContains, query } = selection;
	if (containerId !== undefined) return [{ id: containerId }];
	const { client, run } = item;
	const userId = await item.getUserId();
	const key = `containers of ${JSON.stringify([userId, query])}`;
	const fetchAll = async () => await fetchEntries(client, CONTAINER_LIST, userId, { query });
	const entries = await item.memoize(key, fetchAll);
	const found = entries.filter(({ name }) => matchesName(name, nameContains));
	const isUnmatched = found.length === 0 && nameContains !== '';
	const hint = isUnmatched ? `No container has a name that contains "${nameContains}". ` : '';
	const what = entries.length === 1 ? 'container' : 'containers';
	run.addHint(`${hint}${entries.length} ${what} read.`);
	return found.map(({ id, name }) => (name === undefined ? { id } : { id, name }));
}

/** An error of the service doesn't say which container it is about. */
function nameContainer(error: Error, item: Item, entry: ContainerEntry): Error {
	if (error.message.includes(`"${entry.name ?? entry.id}"`)) return error;
	return extendError(error, { message: `${describeContainer(item, entry)}: ${error.message}` });
}

import type { INodeProperties } from 'n8n-workflow';

import type { ShownRules } from '../../../shared/api/drmRules';
import { CONTAINER_LIST, fetchEntries } from '../../../shared/api/lists';
import { nameContainsOption } from '../../../shared/descriptions/options';
import { parseQuery } from '../../../shared/parameters/query';
import { parseChoiceField, parseShortText } from '../../../shared/parameters/scalars';
import { matchesName } from '../../../shared/parameters/wildcards';
import { choiceField } from '../../descriptions/commonFields';
import { containerLocator } from '../../descriptions/locators';
import type { Execution, Item } from '../../execution/item';
import { createJob, type Job, type ParsedItem } from '../../execution/operation';
import { containerParam } from '../../execution/pathParams';
import { emptyError } from '../../parameters/emptyError';

import type { ContainerEntry } from './changeRules';
import { createContainerJobs, type ContainerTask } from './containerJobs';
import { Summary } from './summary';

export interface Selection {
	/** Undefined for all with a matching name. */
	containerId?: string;
	nameContains: string;
	query: Array<[string, string]>;
}

interface ContainersInput {
	selection: Selection;
	dryRun: boolean;
	task: ContainerTask;
}

const { displayName: NAME_LABEL } = nameContainsOption;

const containersField = choiceField(
	['Containers', 'containers', 'all'],
	{ all: ['All'], byName: ['By Name'], one: ['One'] },
	'Which containers to work on',
);

export function selectionFields(preset: 'all' | 'one'): INodeProperties[] {
	return [
		{
			...containersField,
			options: containersField.options.filter(({ value }) => preset === 'all' || value !== 'all'),
			default: preset,
		},
		{ ...containerLocator, displayOptions: { show: { containers: ['one'] } } },
		{ ...nameContainsOption, required: true, displayOptions: { show: { containers: ['byName'] } } },
	];
}

export function parseSelection(item: Item): Selection {
	const choice = parseChoiceField(item, containersField);
	const all = { nameContains: '', query: parseQuery(item.getOptions()) };
	if (choice === 'one') return { ...all, containerId: item.parsePathParam(containerParam) };
	if (choice === 'all') return all;
	const nameContains = parseShortText(item.getParameter('nameContains'), NAME_LABEL).trim();
	if (nameContains !== '') return { ...all, nameContains };
	throw emptyError(NAME_LABEL, 'All containers would be meant. Enter a part of their names.');
}

/** The containers of a selection: one without a request, or those of the whole list of a user. */
export async function fetchContainers(
	item: Item,
	{ containerId, nameContains, query }: Selection,
	summary: Summary,
): Promise<ContainerEntry[]> {
	if (containerId !== undefined) return [{ id: containerId }];
	const { client } = item;
	const userId = await item.getUserId();
	const key = `containers of ${JSON.stringify([userId, query])}`;
	const entries = await item.memoize(key, async () => {
		const listed = await fetchEntries(client, CONTAINER_LIST, userId, { query });
		return listed.map(({ id, name }) => ({ id, name, isListed: true }));
	});
	const found = entries.filter(({ name }) => matchesName(name, nameContains));
	summary.addList(entries, found.length > 0 ? undefined : nameContains);
	return found;
}

/** For each item, the jobs of its containers. */
export async function* planContainers(parsed: Array<ParsedItem<ContainersInput>>, run: Execution) {
	const summary = new Summary();
	const simulated = new Map<string, ShownRules>();
	for (const entry of parsed) {
		let jobs: Job[] = [];
		const list = createJob(entry, async (item) => {
			const { selection, dryRun, task } = entry.input as ContainersInput;
			const containers = await fetchContainers(item, selection, summary);
			jobs = createContainerJobs({ item, task, isDryRun: dryRun, simulated, summary }, containers);
			return [];
		});
		yield [{ ...list, id: `list ${run.tries.count} ${list.id}` }];
		yield jobs;
	}
	summary.tell(run);
}

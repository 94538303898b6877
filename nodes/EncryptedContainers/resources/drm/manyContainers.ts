import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';

import { CONTAINER_LIST, fetchEntries } from '../../../shared/api/lists';
import { nameContainsOption } from '../../../shared/descriptions/options';
import { isNotFound } from '../../../shared/errors/serviceError';
import { parseQuery } from '../../../shared/parameters/requestSettings';
import { parseChoiceField, parseShortText } from '../../../shared/parameters/scalars';
import { matchesName } from '../../../shared/parameters/wildcards';
import { choiceField } from '../../descriptions/commonFields';
import { containerLocator } from '../../descriptions/locators';
import type { Execution } from '../../execution/execution';
import type { Item } from '../../execution/item';
import { createJob, type Job, type ParsedItem } from '../../execution/operation';
import { containerParam } from '../../execution/pathParams';
import { emptyError } from '../../parameters/emptyError';
import { changeRules, describeContainer } from './changeRules';
import type { ContainerEntry, RulesTask } from './changeRules';

export interface Selection {
	/** Undefined for all with a matching name. */
	containerId?: string;
	nameContains: string;
	query: Array<[string, string]>;
}

interface ContainersInput {
	selection: Selection;
	task: RulesTask;
	/** What the output also says of a container that failed. */
	failedFields?: IDataObject;
}

const { displayName: NAME_LABEL } = nameContainsOption;

const containersField = choiceField(
	['Containers', 'containers', 'all'],
	{ all: ['All'], byName: ['By Name'], one: ['One'] },
	'Which containers to work on',
);

export function selectionFields(preset: 'all' | 'one'): INodeProperties[] {
	const options = containersField.options.filter(
		({ value }) => preset === 'all' || value !== 'all',
	);
	return [
		{ ...containersField, options, default: preset },
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

/** For each item, the jobs of its containers. */
export async function* planContainers(parsed: Array<ParsedItem<ContainersInput>>, run: Execution) {
	for (const entry of parsed) {
		let jobs: Job[] = [];
		const list = createJob(entry, async (item) => {
			jobs = await createContainerJobs(item, entry.input as ContainersInput);
			return [];
		});
		yield [{ ...list, id: `list ${run.tries.count} ${list.id}` }];
		yield jobs;
	}
}

/** A job for each container of a selection: reads its rules, decides, and changes them. */
export async function createContainerJobs(
	item: Item,
	{ selection, task, failedFields }: ContainersInput,
): Promise<Job[]> {
	const { isDryRun } = task;
	if (isDryRun) item.run.addHint('This was a dry run. No rules were changed.');
	const containers = await fetchContainers(item, selection);
	return containers.map((entry) => {
		const { id: containerId, name } = entry;
		const identity = { containerId, ...(name === undefined ? {} : { name }) };
		const describeFailure = ({ message }: Error) => ({
			...{ ...identity, ...failedFields, action: 'failed' },
			reason: `${isDryRun ? 'Would fail: ' : ''}${message}`,
		});
		const send = async () => {
			const output = await changeListed(item, entry, task).catch((error: Error) => {
				if (isDryRun && error instanceof UserError) return describeFailure(error);
				throw error;
			});
			return output ? [{ ...identity, ...output, ...(isDryRun ? { dryRun: true } : {}) }] : [];
		};
		return {
			...createJob({ item }, send),
			id: `${item.index} ${containerId}`,
			isIndependent: true,
			getErrorFields: describeFailure,
		};
	});
}

/** The containers of a selection: one without a request, or those of the whole list of a user. */
async function fetchContainers(
	item: Item,
	{ containerId, nameContains, query }: Selection,
): Promise<ContainerEntry[]> {
	if (containerId !== undefined) return [{ id: containerId }];
	const { client, run } = item;
	const userId = await item.getUserId();
	const key = `containers of ${JSON.stringify([userId, query])}`;
	const entries = await item.memoize(key, async () => {
		const listed = await fetchEntries(client, CONTAINER_LIST, userId, { query });
		return listed.map(({ id, name }) => ({ id, name, isListed: true }));
	});
	const found = entries.filter(({ name }) => matchesName(name, nameContains));
	const isUnmatched = found.length === 0 && nameContains !== '';
	const hint = isUnmatched ? `No container has a name that contains "${nameContains}". ` : '';
	run.addHint(
		`${hint}${entries.length} ${entries.length === 1 ? 'container' : 'containers'} read.`,
	);
	return found;
}

/** The output for a container; none for one that was deleted since it was listed. */
async function changeListed(item: Item, entry: ContainerEntry, task: RulesTask) {
	const result = await changeRules(item, entry, task).catch((error: Error) => {
		if (entry.isListed && isNotFound(error)) {
			return item.run.addHint('Containers that were deleted meanwhile were passed over.');
		}
		// An error of the service doesn't say which container it is about.
		const isNamed = error.message.includes(`"${entry.name ?? entry.id}"`);
		const title = isNamed ? '' : `${describeContainer(item.client, entry)}: `;
		throw Object.create(error, { message: { value: `${title}${error.message}` } }) as Error;
	});
	return result?.output;
}

/** The beginnings of a reason: `Removed`, or in a dry run `Would remove`. */
export function createVerbs(isDryRun: boolean, ...verbs: string[]): string[] {
	return verbs.map((verb) =>
		isDryRun ? `Would ${verb.toLowerCase()}` : `${verb}${verb.endsWith('e') ? 'd' : 'ed'}`,
	);
}

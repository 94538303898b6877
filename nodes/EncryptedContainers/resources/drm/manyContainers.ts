import { OperationalError, type IDataObject, type INodeProperties } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { CONTAINER_LIST, fetchList } from '../../../shared/api/lists';
import { getContainerIdentity } from '../../../shared/api/records';
import { withoutItem } from '../../../shared/errors/nodeErrors';
import { nameContainsOption } from '../../../shared/descriptions/options';
import { parseChoiceField, parseShortText } from '../../../shared/parameters/scalars';
import { matchesName } from '../../../shared/parameters/wildcards';
import { choiceField } from '../../descriptions/commonFields';
import { containerLocator } from '../../descriptions/locators';
import type { Item } from '../../execution/item';
import type { Call, Job, ParsedItem, RunServices } from '../../execution/operation';
import { containerParam } from '../../execution/pathParams';
import { emptyError } from '../../parameters/emptyError';
import { changeRules, describeContainer, type ContainerEntry } from './changeRules';
import { findFixed, type RulesChange } from './ruleChanges';

interface Selection {
	/** Undefined for all with a matching name. */
	containerId?: string;
	nameContains: string;
}

interface ContainersInput extends Selection {
	dryRun: boolean;
	createTask(call: Call): ContainerTask;
}

export interface ContainerTask {
	/** The rules that must be understood. */
	needs: string[];
	/** Decides by the current rules; undefined for a container that the operation is not about. */
	decide(rules: DrmRules, container: ContainerEntry): RulesChange | undefined;
	/** What the output also says of a container that failed. */
	failedFields?: IDataObject;
}

const NOTHING_TO_DO =
	'There was nothing to do for any container. If you expected otherwise, check what you entered for typing errors.';

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
	if (choice === 'one') {
		return { containerId: item.parsePathParam(containerParam), nameContains: '' };
	}
	if (choice === 'all') return { nameContains: '' };
	const nameContains = parseShortText(item.getParameter('nameContains'), NAME_LABEL).trim();
	if (nameContains !== '') return { nameContains };
	throw emptyError(NAME_LABEL, 'All containers would be meant. Enter a part of their names.');
}

/** The containers of a selection: one without a request, or those of the whole list of a user. */
export async function fetchContainers(call: Call, { containerId, nameContains }: Selection) {
	if (containerId !== undefined) return [{ id: containerId }];
	const { client, run } = call;
	const userId = await call.getUserId();
	const key = call.getSharedKey(`containers of ${userId}`);
	const entries = await run.tries.memoize(key, async () => {
		const records = await fetchList(client, CONTAINER_LIST, userId);
		await client.redact(records);
		return records.map(getContainerIdentity);
	});
	for (const part of nameContains === '' ? (['id'] as const) : (['id', 'name'] as const)) {
		if (entries.every((entry) => entry[part] !== undefined)) continue;
		throw new OperationalError(`The service returned a list with a container without ${part}`, {
			description:
				'Nothing was changed, because nobody can tell which containers are meant. Ask the operator of the service to check the list of containers.',
		});
	}
	const unique = new Map(entries.map(({ id = '', name }) => [id, { id, name }]));
	return [...unique.values()].filter(({ name }) => matchesName(name, nameContains));
}

export async function* planContainers(
	parsed: Array<ParsedItem<ContainersInput>>,
	run: RunServices,
) {
	const simulated = new Map<string, DrmRules>();
	let isAny = false;
	for (const entry of parsed) {
		let jobs: Job[] = [];
		const list = run.createJob(entry, async (call) => {
			const { dryRun, createTask, ...selection } = entry.input as ContainersInput;
			const containers = await fetchContainers(call, selection);
			const task = createTask(call);
			const decide: ContainerTask['decide'] = (rules, container) => {
				const change = task.decide(rules, container);
				isAny ||= change !== undefined;
				return change;
			};
			jobs = createContainerJobs(call, containers, { ...task, decide }, dryRun, simulated);
			return [];
		});
		yield [{ ...list, id: `list ${run.tries.count} ${list.id}` }];
		yield jobs;
	}
	if (!isAny && run.failed === 0 && run.tries.count === 1) run.addHint(NOTHING_TO_DO);
}

/** A job for each container: reads its rules, decides, and changes them. `simulated`: what the dry run led to so far. */
export function createContainerJobs(
	call: Call,
	containers: ContainerEntry[],
	{ needs, decide, failedFields }: ContainerTask,
	isDryRun = false,
	simulated = new Map<string, DrmRules>(),
): Job[] {
	const { client, item, run } = call;
	if (isDryRun) run.addHint('This was a dry run. No rules were changed.');
	const describeFailure = ({ message }: Error) => {
		return { ...failedFields, action: 'failed', reason: withoutItem(message) };
	};
	return containers.map((entry) => {
		const { id, name } = entry;
		const container = { containerId: id, ...(name === undefined ? {} : { name }) };
		const job = run.createJob({ item, input: {} }, async () => {
			const changing = changeRules(call, entry, needs, (shown, label) => {
				const rules = simulated.get(id) ?? shown?.rules ?? {};
				const change = decide(rules, entry);
				if (!isDryRun || change?.toSend === undefined) return change;
				const fixed = findFixed(rules, label);
				if (fixed !== undefined) return { output: describeFailure(fixed) };
				simulated.set(id, change.toSend);
				const { output = {} } = change;
				const dryRun = output.reason ? { reason: `Dry run: ${String(output.reason)}` } : {};
				return { output: { ...output, ...dryRun } };
			});
			const { output } = await changing.catch((error: Error) => {
				// An error of the service doesn't say which container it is about.
				const isNamed = error.message.includes(`"${name ?? id}"`);
				if (!isNamed) error.message = `${describeContainer(client, entry)}: ${error.message}`;
				throw error;
			});
			return output === undefined ? [] : [{ ...container, ...output }];
		});
		return {
			...job,
			id: `${item.index} ${id}`,
			isIndependent: true,
			getErrorFields: (error) => ({ ...container, ...describeFailure(error) }),
		};
	});
}

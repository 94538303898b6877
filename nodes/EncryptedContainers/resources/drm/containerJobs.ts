import type { IDataObject } from 'n8n-workflow';
import { OperationalError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import type { ListEntry } from '../../../shared/api/lists';
import { CONTAINER_LIST, fetchList, groupById } from '../../../shared/api/lists';
import { getContainerIdentity } from '../../../shared/api/records';
import { isNotFound } from '../../../shared/errors/nodeErrors';
import { getLastDayOverEverywhere } from '../../../shared/parameters/dates';
import { matchesName } from '../../../shared/parameters/wildcards';
import { estimateMemory } from '../../../shared/responses/memory';
import type { Call, Job, ParsedItem, RunServices } from '../../execution/operation';
import type { RulesCall, RulesChange } from './changeRules';
import { changeRules, describeContainer, withRules } from './changeRules';
import { findContradiction } from './contradiction';
import { planEnd } from './revoke';
import { findFixed, hasEnded } from './ruleChanges';
import type { Selection } from './selectContainers';

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
	getFailedFields?(container: ContainerEntry): IDataObject;
	/** What was decided before: a container that it doesn't change is not read again. */
	known?: Map<ContainerEntry, Decision>;
}

export type ContainerEntry = Pick<ListEntry, 'id' | 'name'>;

/** The containers of a selection: one without a request, or those of the whole list of a user. */
export async function fetchContainers(
	call: Call,
	{ containerId, nameContains }: Selection,
): Promise<ContainerEntry[]> {
	if (containerId !== undefined) return [{ id: containerId }];
	const entries = await fetchListed(call, '');
	if (nameContains === '') return entries;
	if (entries.some(({ name }) => name === undefined)) throw createListError('a name');
	return entries.filter(({ name }) => matchesName(name, nameContains));
}

/** The containers in the list of the user. @param when what tells one reading of the list from another */
async function fetchListed(call: Call, when: string): Promise<ContainerEntry[]> {
	const userId = await call.getUserId();
	return await call.run.memory.memoize(
		call.getSharedKey(`containers of ${userId} ${when}`),
		async () => {
			const options = { isEmptyAllowed: false, needs: 'id' as const };
			const records = await fetchList(call.client, CONTAINER_LIST, userId, options);
			await call.client.redact(records);
			const unknown = records.find((record) => getContainerIdentity(record).id === undefined);
			if (unknown !== undefined) throw createListError('an ID');
			const entries = groupById(records, CONTAINER_LIST).map(({ id, name }) => ({ id, name }));
			call.client.memory.keep(estimateMemory(entries));
			return entries;
		},
	);
}

function createListError(part: string): OperationalError {
	return new OperationalError(`The service returned a list with a container without ${part}`, {
		description:
			'Nothing was changed, because nobody can tell which containers are meant. Ask the operator of the service to check the list of containers.',
	});
}

/**
 * A container that was deleted after the list was read doesn't count. Services also say "not found" of what a key must
 * not see: a new list shows which it is.
 */
async function isDeleted(call: Call, entry: ContainerEntry, error: Error): Promise<boolean> {
	const isListed = 'name' in entry;
	if (!isListed || !isNotFound(error)) return false;
	const { memory } = call.run;
	const entries = await fetchListed(call, `again, in try ${memory.tries}`).catch(() => undefined);
	return entries !== undefined && !entries.some(({ id }) => id === entry.id);
}

/** The jobs for the containers of each item, one item after the other. An item that fails is one job. */
export async function* planContainers<Input extends { selection: Selection }>(
	parsed: Array<ParsedItem<Input>>,
	run: RunServices,
	toTask: (input: Input, call: Call) => ContainerTask,
): AsyncGenerator<Job[], void, undefined> {
	for (const { item, input, error } of parsed) {
		let jobs: Job[];
		try {
			if (input === undefined) throw error;
			const call = await run.connect(item);
			const containers = await fetchContainers(call, input.selection);
			const task = toTask(input, call);
			if (task.dryRun) run.addHint(DRY_RUN_HINT);
			jobs = createContainerJobs(call, containers, task);
		} catch (cause) {
			jobs = [
				run.createJob({ item, error: cause as Error }, async () => await Promise.resolve([])),
			];
		}
		yield jobs;
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
			const known = task.known?.get(entry);
			const isDone =
				known !== undefined && known.change === undefined && !item.state.getSent(id).isSent;
			const output = isDone
				? known.output
				: await withRules(call, id, name, async (rules) => await runTask(rules, entry, task));
			return output === undefined ? [] : [{ ...container, ...output }];
		});
		return {
			...job,
			send: async () =>
				await job.send().catch(async (error: Error) => {
					if (await isDeleted(call, entry, error)) return [];
					throw withContainer(error, call, entry);
				}),
			id: `${item.index} ${id}`,
			isIndependent: true,
			getErrorFields: ({ message }) => ({
				...container,
				...task.getFailedFields?.(entry),
				action: 'failed',
				reason: message,
			}),
		};
	});
}

/** An error of the service doesn't say which container it is about. */
function withContainer(error: Error, { client }: Call, { id, name }: ContainerEntry): Error {
	if (error.message.includes(name ?? id)) return error;
	const names = name === undefined ? `"${id}"` : `"${name}" (${id})`;
	error.message = `${client.redactLine(names)}: ${error.message}`;
	return error;
}

async function runTask(
	call: RulesCall,
	entry: ContainerEntry,
	{ needs, decide, dryRun }: ContainerTask,
): Promise<IDataObject | undefined> {
	let output: IDataObject | undefined;
	await changeRules(call, needs, (shown) => {
		const { rules = {} } = shown ?? {};
		const decision = decide(rules, entry);
		output = decision?.output;
		const change = decision?.change;
		if (change === undefined) {
			if (call.sent.isShown?.(rules)) output = call.sent.output;
			return undefined;
		}
		const planned = change === 'end' ? planEnd(rules) : toChange(rules, change);
		const sent = { output, isShown: (later: DrmRules) => isShown(change, later) };
		if (!dryRun) return planned && { ...planned, sent };
		const fixed = findFixed(rules, describeContainer(call));
		if (fixed !== undefined) output = { ...output, action: 'failed', reason: fixed.message };
		else if (output?.reason !== undefined) output.reason = `Dry run: ${String(output.reason)}`;
		return undefined;
	});
	return output;
}

function isShown(change: DrmRules | 'end', rules: DrmRules): boolean {
	if (change === 'end') return hasEnded(rules, getLastDayOverEverywhere(new Date()));
	const isHeld = Object.keys(change).every((key) => key in rules);
	return isHeld && findContradiction(change, rules) === undefined;
}

/** The service must show all rules that change. */
function toChange(current: DrmRules, change: DrmRules): RulesChange {
	const toSend = { ...current, ...change };
	return {
		toSend,
		findProblem(shown) {
			const { rules = {} } = shown ?? {};
			const missing = Object.keys(change).find((key) => !(key in rules));
			if (missing === undefined) return findContradiction(toSend, rules);
			return { expected: `"${missing}" as it was sent`, received: 'other rules' };
		},
	};
}

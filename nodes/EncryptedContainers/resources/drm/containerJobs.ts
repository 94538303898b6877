import type { IDataObject } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import type { ListEntry } from '../../../shared/api/lists';
import { CONTAINER_LIST, fetchEntries } from '../../../shared/api/lists';
import { matchesName } from '../../../shared/parameters/wildcards';
import type { Call, Job, RunServices } from '../../execution/operation';
import { changeRules, toRulesCall } from './changeRules';
import type { RulesCall } from './recentChanges';
import { describeContainer, readCurrentRules } from './recentChanges';
import { writeEnd } from './revoke';
import { assertChangeable } from './ruleChanges';
import { writeRules } from './update';

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
	decide(rules: DrmRules): Decision | undefined;
	/** Whether nothing is changed. */
	dryRun: boolean;
}

/** The whole list of a user's containers, of those whose name matches. */
export async function fetchContainers(call: Call, nameContains: string): Promise<ListEntry[]> {
	const userId = await call.getUserId();
	const key = call.getSharedKey(`containers of ${userId}`);
	const entries = await call.run.memory.memoize(
		key,
		async () => await fetchEntries(call.client, CONTAINER_LIST, userId),
	);
	return entries.filter(({ name }) => matchesName(name, nameContains));
}

/** A job for each container: reads its rules, decides, and changes them. One that fails doesn't hold back the others. */
export function createContainerJobs(
	run: RunServices,
	call: Call,
	containers: Array<Pick<ListEntry, 'id' | 'name'>>,
	task: ContainerTask,
): Job[] {
	const { item } = call;
	return containers.map(({ id, name }) => {
		const container = { containerId: id, ...(name === undefined ? {} : { name }) };
		const job = run.createJob({ item, input: {} }, async () => {
			const rulesCall = toRulesCall(call, id, name);
			const output = await call.runAlone(
				`rules ${id}`,
				describeContainer(rulesCall),
				async () => await runTask(rulesCall, task),
			);
			return output === undefined ? [] : [{ ...container, ...output }];
		});
		return {
			...job,
			id: `${item.index} ${id}`,
			isIndependent: true,
			getErrorFields: ({ message }) => ({ ...container, action: 'failed', reason: message }),
		};
	});
}

async function runTask(call: RulesCall, task: ContainerTask): Promise<IDataObject | undefined> {
	let output: IDataObject | undefined;
	await changeRules(call, async () => {
		const { rules } = await readCurrentRules(call, task.needs);
		const decision = task.decide(rules);
		output = decision?.output;
		const change = decision?.change;
		if (change === undefined || task.dryRun) return { rules, changed: false };
		assertChangeable(rules, describeContainer(call));
		if (change === 'end') return await writeEnd(call, rules);
		const toSend = { ...rules, ...change };
		return await writeRules(call, { toSend, current: rules, mustShow: Object.keys(change) });
	});
	return output;
}

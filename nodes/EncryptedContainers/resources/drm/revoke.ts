import type { DrmRules } from '../../../shared/api/drmRules';
import { toContainerKey } from '../../../shared/api/records';
import { isSameRule, isSet } from '../../../shared/api/ruleValues';
import {
	getLastDayOverEverywhere,
	isDayAnywhere,
	parseServiceDate,
} from '../../../shared/parameters/dates';
import type { Operation } from '../../execution/operation';
import type { PathParams } from '../../execution/pathParams';
import type { ChangeResult, RulesCall, RulesChange } from './changeRules';
import { changeItem, changeRules } from './changeRules';
import { endWindow, hasEnded } from './ruleChanges';

/** Ends the access window of a container. */
export const revoke: Operation<PathParams> = {
	parse: (item) => item.getPathParams(),
	getKey: ({ containerId }) => toContainerKey(containerId),
	// No item can restore access.
	isRepeatable: () => false,
	send: async (call, { containerId }) => await changeItem(call, containerId, endAccess),
};

async function endAccess(call: RulesCall): Promise<ChangeResult> {
	const result = await changeRules(call, ['time'], (current) => planEnd(current?.rules ?? {}));
	// The rules alone, wherever the response has them.
	return { ...result, response: undefined };
}

/** Ends access on the last day that is over everywhere; undefined where it has ended. */
export function planEnd(current: DrmRules): RulesChange | undefined {
	const lastDay = getLastDayOverEverywhere(new Date());
	if (hasEnded(current, lastDay)) return undefined;
	const toSend = endWindow(current, lastDay);
	return {
		toSend,
		action: 'end access to the container',
		findProblem(shown, isResponse) {
			const { rules = {} } = shown ?? {};
			const isWhole = !isResponse || Object.keys(toSend).every((key) => key in rules);
			// A moment that was stored for the last day may show as the next one, in UTC. One that did not move proves nothing.
			const end: unknown = rules.time?.end;
			const isMoved = isDayAnywhere(end, lastDay) && !isSameRule(end, current.time?.end);
			if (isWhole && (isMoved || hasEnded(rules, lastDay))) return undefined;
			return { expected: `rules that end access on ${lastDay}`, received: describeEnd(end) };
		},
	};
}

function describeEnd(end: unknown): string {
	if (!isSet(end)) return 'rules without an end';
	const text = typeof end === 'string' ? end : JSON.stringify(end);
	return parseServiceDate(end) === undefined
		? `rules with an end that is no date (${text})`
		: `rules that still end on ${text}`;
}

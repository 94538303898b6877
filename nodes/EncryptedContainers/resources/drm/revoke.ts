import type { DrmRules } from '../../../shared/api/drmRules';
import { findRules } from '../../../shared/api/drmRules';
import { isSameRule, isSet } from '../../../shared/api/ruleValues';
import type { ServiceRequest } from '../../../shared/client/client';
import { buildPath } from '../../../shared/client/path';
import {
	getLastDayOverEverywhere,
	isDayAnywhere,
	parseServiceDate,
} from '../../../shared/parameters/dates';
import type { Operation } from '../../execution/operation';
import type { PathParams } from '../../execution/pathParams';
import type { RuleChangeResult } from './changeRules';
import { changeRulesAlone } from './changeRules';
import type { RulesCall } from './recentChanges';
import {
	describeContainer,
	readChangedRules,
	readCurrentRules,
	rememberChange,
} from './recentChanges';
import { assertChangeable, endWindow, hasEnded } from './ruleChanges';

/** Ends the access window of a container. */
export const revoke: Operation<PathParams> = {
	parse: (item) => item.getPathParams(),
	getKey: ({ containerId }) => containerId,
	// No item can restore access.
	isRepeatable: () => false,
	send: async (call, { containerId }) => [await changeRulesAlone(call, containerId, endAccess)],
};

/** Ends the access window of a container and checks that the service returns it as ended. */
export async function endAccess(call: RulesCall): Promise<RuleChangeResult> {
	const { rules: current } = await readCurrentRules(call, ['time']);
	return await writeEnd(call, current);
}

/** As endAccess, with the current rules at hand. */
export async function writeEnd(call: RulesCall, current: DrmRules): Promise<RuleChangeResult> {
	const { client, containerId } = call;
	const lastDay = getLastDayOverEverywhere(new Date());
	if (hasEnded(current, lastDay)) return { rules: current, changed: false };
	assertChangeable(current, describeContainer(call));
	const rules = endWindow(current, lastDay);
	const request: ServiceRequest = {
		method: 'PATCH',
		path: buildPath(['containers', containerId, 'drm']),
		action: 'end access to the container',
		json: rules,
		subject: { containerId },
	};
	const { rules: returned } = findRules(await client.requestOptionalObject(request));
	rememberChange(call, current, rules);
	const isShown = returned !== undefined && Object.keys(rules).every((key) => key in returned);
	const reported = isShown ? returned : (await readChangedRules(call, current)).rules;
	rememberChange(call, current, rules, reported);
	if (hasEnded(reported, lastDay) || isMovedTo(lastDay, current, reported)) {
		return { rules: reported, changed: true };
	}
	const error = client.createError(request, {
		kind: 'unexpected',
		expected: `rules that end access on ${lastDay}`,
		received: describeEnd(reported),
	});
	return { error, before: current, reported };
}

/** A moment that the service stored for the last day may show as the next one, in UTC. One that did not move proves nothing. */
function isMovedTo(lastDay: string, before: DrmRules, reported: DrmRules): boolean {
	const end: unknown = reported.time?.end;
	return isDayAnywhere(end, lastDay) && !isSameRule(end, before.time?.end);
}

function describeEnd({ time }: DrmRules): string {
	const end: unknown = time?.end;
	if (!isSet(end)) return 'rules without an end';
	const text = typeof end === 'string' ? end : JSON.stringify(end);
	return parseServiceDate(end) === undefined
		? `rules with an end that is no date (${text})`
		: `rules that still end on ${text}`;
}

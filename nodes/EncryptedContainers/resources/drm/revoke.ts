import type { DrmRules } from '../../../shared/api/drmRules';
import { fetchRules, findRules } from '../../../shared/api/drmRules';
import { isSameRule } from '../../../shared/api/ruleValues';
import type { ServiceRequest } from '../../../shared/client/client';
import {
	getLastDayOverEverywhere,
	isDayAnywhere,
	parseServiceDate,
} from '../../../shared/parameters/dates';
import type { Call, Operation } from '../../execution/operation';
import type { PathParams } from '../../execution/pathParams';
import type { RuleChangeResult } from './changeRules';
import { changeRules } from './changeRules';
import { assertChangeable, endWindow, hasEnded } from './ruleChanges';

/** Ends the access window of a container and checks that the service returns it as ended. */
export const revoke: Operation<PathParams> = {
	parse: (item) => item.getPathParams(),
	getKey: ({ containerId }) => containerId,
	// No item can restore access.
	isRepeatable: () => false,
	async send(call, { containerId }) {
		return await changeRules(call, containerId, async () => await endAccess(call, containerId));
	},
};

async function endAccess(call: Call, containerId: string): Promise<RuleChangeResult> {
	const { client } = call;
	const lastDay = getLastDayOverEverywhere(new Date());
	const current = await fetchRules(client, containerId);
	if (hasEnded(current, lastDay)) return { rules: current };
	assertChangeable(current);
	const rules = endWindow(current, lastDay);
	const request: ServiceRequest = {
		method: 'PATCH',
		path: await call.getPath(),
		action: 'end access to the container',
		json: rules,
		subject: { containerId },
	};
	const { rules: returned } = findRules(await client.requestOptionalObject(request));
	const reported =
		returned !== undefined && hasAllRules(returned, rules)
			? returned
			: await fetchRules(client, containerId);
	if (hasEnded(reported, lastDay) || isMovedTo(lastDay, current, reported)) {
		return { rules: reported };
	}
	const error = client.createError(request, {
		kind: 'unexpected',
		expected: `rules that end access on ${lastDay}`,
		received: describeEnd(reported),
	});
	return { error, before: current, reported };
}

/** A response with the changed rules only doesn't show all rules that the service has. */
function hasAllRules(returned: DrmRules, sent: DrmRules): boolean {
	return Object.keys(sent).every((key) => key in returned);
}

/** A moment that the service stored for the last day may show as the next one, in UTC. One that did not move proves nothing. */
function isMovedTo(lastDay: string, before: DrmRules, reported: DrmRules): boolean {
	const end: unknown = reported.time?.end;
	return isDayAnywhere(end, lastDay) && !isSameRule(end, before.time?.end);
}

function describeEnd({ time }: DrmRules): string {
	const end: unknown = time?.end;
	if (end === undefined || end === null || end === '') return 'rules without an end';
	const text = typeof end === 'string' ? end : JSON.stringify(end);
	return parseServiceDate(end) === undefined
		? `rules with an end that is no date (${text})`
		: `rules that still end on ${text}`;
}

import { UserError } from 'n8n-workflow';

import { CONTAINER_LIST } from '../../shared/api/lists';
import { isSet, parseRule } from '../../shared/api/ruleValues';
import { daysBetween } from '../../shared/parameters/dates';
import type { ListEvent } from '../types';

/**
 * A container whose access ends within the chosen number of days, once for each end: the state contains the end. That is
 * the day as the service shows it, today that of the workflow's time zone.
 *
 * Access that already ended is emitted only where the last poll saw the same end ahead: no poll ran in between, because
 * n8n was down. Otherwise somebody ended access, or it had ended before.
 */
export const accessEnding: ListEvent = {
	name: 'Access Ending',
	value: 'accessEnding',
	description:
		'When the last day of access to a container is near. Triggers once for each end date.',
	list: CONTAINER_LIST,
	readsRules: true,
	toContent({ rules = {} }, { withinDays, today }, saved) {
		const { time } = rules;
		const window = isSet(time) ? parseRule('time', time) : {};
		if (window === undefined) {
			const shown = JSON.stringify(time).slice(0, 100);
			throw new UserError(`The time of access is not one of days such as 2026-12-31: ${shown}`);
		}
		const { end } = window as { end?: string };
		if (end === undefined) return undefined;
		const daysLeft = daysBetween(today, end);
		const ahead = `~${end}`;
		if (daysLeft < 0 && saved !== ahead) return undefined;
		if (daysLeft <= withinDays) {
			return { content: end, toItem: () => ({ endsOn: end, daysLeft }) };
		}
		// What was emitted stays so: the days can become fewer in between.
		return { content: saved === end ? end : ahead };
	},
	isEvent: (before, content) => before !== content,
};

import { UserError } from 'n8n-workflow';

import { CONTAINER_LIST } from '../../shared/api/lists';
import { daysBetween, isNoDate, parseServiceDate } from '../../shared/parameters/dates';
import { isFilled, isRecord } from '../../shared/responses/shapes';
import type { ListEvent } from '../types';

/**
 * A container whose access ends within the chosen number of days, once for each end: the state contains the end. That is
 * the day as the service shows it, today that of the workflow's time zone.
 *
 * Access that already ended is emitted only where the last poll saw the same end ahead: no poll ran in between, because
 * n8n was down. Otherwise somebody ended access, or it had ended before.
 */
export const accessEnding: ListEvent = {
	option: {
		name: 'Access Ending',
		value: 'accessEnding',
		description:
			'When the last day of access to a container is near. Triggers once for each end date.',
	},
	list: CONTAINER_LIST,
	sample: 'A test shows containers whose access ends within the chosen days.',
	nothingToShow: 'No container whose access ends within the chosen days was found',
	readsRules: true,
	toContent({ rules = {} }, { withinDays, today }, saved) {
		const time: unknown = isFilled(rules.time) ? rules.time : undefined;
		const end = isRecord(time) ? time.end : time;
		if (isNoDate(end)) return undefined;
		const endsOn = parseServiceDate(end);
		if (endsOn === undefined) {
			const shown = JSON.stringify(end).slice(0, 100);
			throw new UserError(`The end of access is not a date: ${shown}`, {
				description:
					'Report this to the operator of the service: the API documents dates such as 2026-12-31.',
			});
		}
		const daysLeft = daysBetween(today, endsOn);
		const ahead = `~${endsOn}`;
		const toItem = () => ({ endsOn, daysLeft });
		if (daysLeft < 0 && saved !== ahead) return undefined;
		if (daysLeft <= withinDays) return { content: endsOn, toItem };
		// What was emitted stays so: the days can become fewer in between.
		return { content: saved === endsOn ? endsOn : ahead, isSilent: true, toItem };
	},
	isEvent: (before, content) => before !== content,
	stateKey: ({ nameContains }) => nameContains,
};

import { UserError } from 'n8n-workflow';

import { CONTAINER_LIST } from '../../shared/api/lists';
import { daysBetween, isNoDate, parseServiceDate } from '../../shared/parameters/dates';
import type { TriggerEvent } from '../types';

/** Before the end of a container that was not emitted yet. */
const AHEAD = '~';

/**
 * A container whose access window ends within the chosen number of calendar days, emitted once for each end: the state
 * contains the end, so a new one counts again. The end is the calendar day as the service shows it, today is that of the
 * workflow's time zone.
 *
 * Access that already ended is emitted only where the last poll saw the same end ahead: no poll ran in between, because
 * n8n was down. Otherwise somebody ended access, or it had ended before.
 */
export const accessEnding: TriggerEvent = {
	option: {
		name: 'Access Ending',
		value: 'accessEnding',
		description:
			'When the last day of access to a container is near. Triggers once for each end date.',
		action: 'On access ending',
	},
	list: CONTAINER_LIST,
	sample: 'A test shows containers whose access ends within the chosen days.',
	nothingToShow: 'No container whose access ends within the chosen days was found',
	async fetch(fetcher) {
		const { isSample, parameters } = fetcher.options;
		const { withinDays, today } = parameters;
		return await fetcher.fetchRules((rules, saved) => {
			const end: unknown = rules.time?.end;
			if (isNoDate(end)) return undefined;
			const endsOn = parseServiceDate(end);
			if (endsOn === undefined) throw createUnreadableError(end);
			const daysLeft = daysBetween(today, endsOn);
			const ahead = `${AHEAD}${endsOn}`;
			const toItem = () => ({ endsOn, daysLeft });
			if (daysLeft <= withinDays) {
				return daysLeft < 0 && saved !== ahead ? undefined : { content: endsOn, toItem };
			}
			// What was emitted stays so: the days can become fewer in between.
			const content = saved === endsOn ? endsOn : ahead;
			return isSample ? undefined : { content, isSilent: true, toItem };
		});
	},
	isEvent: (before, content) => before !== content,
	stateKey: ({ nameContains }) => nameContains,
};

function createUnreadableError(end: unknown): UserError {
	return new UserError(`The end of access is not a date: ${JSON.stringify(end).slice(0, 100)}`, {
		description:
			'Report this to the operator of the service: the API documents dates such as 2026-12-31.',
	});
}

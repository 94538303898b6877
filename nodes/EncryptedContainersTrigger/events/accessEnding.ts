import { UserError } from 'n8n-workflow';

import { CONTAINER_LIST } from '../../shared/api/lists';
import { daysBetween, isNoDate, parseServiceDate } from '../../shared/parameters/dates';
import type { TriggerEvent } from '../types';

/**
 * A container whose access window ends within the chosen number of calendar days, emitted once for each end: the state
 * contains the end, so a new one counts again. Access that already ended is not emitted. The end is the calendar day as
 * the service shows it, today is that of the workflow's time zone.
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
		const { withinDays, today } = fetcher.options.parameters;
		let isReadable = false;
		let unreadable: UserError | undefined;
		const reading = await fetcher.fetchRules((rules) => {
			const end: unknown = rules.time?.end;
			if (isNoDate(end)) return undefined;
			const endsOn = parseServiceDate(end);
			if (endsOn === undefined) {
				unreadable ??= createUnreadableError(end);
				throw unreadable;
			}
			isReadable = true;
			const daysLeft = daysBetween(today, endsOn);
			if (daysLeft < 0 || daysLeft > withinDays) return undefined;
			return { content: endsOn, toItem: () => ({ endsOn, daysLeft }) };
		});
		// One odd date must not hold back the others. But if none can be read, no event would ever come.
		if (!isReadable && unreadable !== undefined) throw unreadable;
		return reading;
	},
	isEvent: (before, content) => before !== content,
	stateKey: ({ nameFilter }) => nameFilter,
};

function createUnreadableError(end: unknown): UserError {
	return new UserError('The end dates from the service are not dates', {
		description: `The service returned ${JSON.stringify(end)} as the end of access, and no other date that can be read. Report this to the operator of the service: the API documents dates such as 2026-12-31.`,
	});
}

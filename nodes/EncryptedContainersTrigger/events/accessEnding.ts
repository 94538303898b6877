import { daysBetween, tryParseDate } from '../../shared/parameters/dates';
import { detectCreated } from '../diff';
import type { TriggerParameters } from '../parameters';
import type { Snapshot, TriggerEvent } from '../types';

/**
 * A container whose access window ends within the chosen number of calendar days, emitted once for each end: the state
 * contains container and end together, so a new end counts again. Access that already ended is not emitted.
 */
export const accessEnding: TriggerEvent = {
	option: {
		name: 'Access Ending',
		value: 'accessEnding',
		description:
			'When the last day of access to a container is near. Triggers once for each end date.',
		action: 'On access ending',
	},
	comparison: detectCreated,
	canIncludeExisting: true,
	nothingToShow: 'There is no container with an end date to show as a sample',
	async fetch(fetcher) {
		const containers = await fetcher.fetchContainersWithRules();
		return containers.flatMap(({ id, name, rules }): Snapshot[] => {
			const end = rules.time?.end;
			const ending = getEnding(end, fetcher.parameters);
			if (ending === undefined || ending.daysLeft < 0) return [];
			if (ending.daysLeft > fetcher.parameters.withinDays && !fetcher.isSample) return [];
			const container = { containerId: id, ...(name === undefined ? {} : { name }) };
			return [
				{ identity: JSON.stringify([id, end]), toItem: () => ({ ...container, ...ending, rules }) },
			];
		});
	},
	stateKey: ({ nameFilter }) => [nameFilter],
};

function getEnding(
	end: unknown,
	{ timeZone, today }: TriggerParameters,
): { endsOn: string; daysLeft: number } | undefined {
	const endsOn = tryParseDate(end, timeZone);
	return endsOn === undefined ? undefined : { endsOn, daysLeft: daysBetween(today, endsOn) };
}

import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { dayIn } from '../shared/input/dates';
import { readLimits, wholeNumber } from '../shared/input/limits';
import { readList } from '../shared/input/lists';
import { readFlag } from '../shared/rules/readRules';
import { events } from './events';
import type { TriggerEvent } from './events/event';

/** What the user chose, checked. */
export interface Settings {
	event: TriggerEvent;
	/** Part of a container's name; empty for all containers. */
	nameFilter: string;
	withinDays: number;
	includeExisting: boolean;
	fieldsToIgnore: string[];
	/** Another user than the API key's own. */
	userId?: string;
	maxConcurrent: number;
	maxRetries: number;
	/** The workflow's time zone, and the day that it is there. */
	timeZone: string;
	today: string;
}

/**
 * Reads the parameters of the trigger.
 *
 * @param context the poll
 * @returns the settings; a parameter that is not shown for the event has its default
 * @throws UserError for one that cannot be used
 */
export function readSettings(context: IPollFunctions): Settings {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const timeZone = context.getTimezone();
	return {
		event: readEvent(context.getNodeParameter('event', '')),
		nameFilter: readText(context.getNodeParameter('nameFilter', '')),
		withinDays: wholeNumber(context.getNodeParameter('withinDays', 7), 'Within Days', 0),
		includeExisting: readFlag(options.includeExisting ?? false, 'Include Existing'),
		fieldsToIgnore: readList(options.fieldsToIgnore, 'Fields to Ignore'),
		userId: readText(options.userId) || undefined,
		...readLimits(context),
		timeZone,
		today: dayIn(new Date(), timeZone),
	};
}

function readEvent(value: unknown): TriggerEvent {
	const event = Object.entries(events).find(([name]) => name === value)?.[1];
	if (event !== undefined) return event;
	throw new UserError('"Event" is not one of the events of this trigger', {
		description: 'Choose an event from the list in "Event".',
	});
}

function readText(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { toCalendarDay } from '../shared/parameters/dates';
import { getRequestLimits, parseInteger } from '../shared/parameters/limits';
import { parseList } from '../shared/parameters/lists';
import { parseBoolean } from '../EncryptedContainers/parameters/drmRules';
import { events } from './events';
import type { TriggerEvent } from './types';

/** What the user chose, checked. */
export interface TriggerParameters {
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
export function getParameters(context: IPollFunctions): TriggerParameters {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const timeZone = context.getTimezone();
	return {
		event: parseEvent(context.getNodeParameter('event', '')),
		nameFilter: toTrimmedText(context.getNodeParameter('nameFilter', '')),
		withinDays: parseInteger(context.getNodeParameter('withinDays', 7), 'Within Days', 0),
		includeExisting: parseBoolean(options.includeExisting ?? false, 'Include Existing'),
		fieldsToIgnore: parseList(options.fieldsToIgnore, 'Fields to Ignore'),
		userId: toTrimmedText(options.userId) || undefined,
		...getRequestLimits(context),
		timeZone,
		today: toCalendarDay(new Date(), timeZone),
	};
}

function parseEvent(value: unknown): TriggerEvent {
	const event = Object.entries(events).find(([name]) => name === value)?.[1];
	if (event !== undefined) return event;
	throw new UserError('"Event" is not one of the events of this trigger', {
		description: 'Choose an event from the list in "Event".',
	});
}

function toTrimmedText(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

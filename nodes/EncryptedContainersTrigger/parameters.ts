import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { parseId } from '../shared/client/path';
import { userIdOption } from '../shared/descriptions/options';
import { toCalendarDay } from '../shared/parameters/dates';
import { getRequestLimits } from '../shared/parameters/limits';
import { parseList } from '../shared/parameters/lists';
import { parseBoolean, parseInteger } from '../shared/parameters/scalars';
import type { TriggerParameters } from './types';

/**
 * Parses the parameters of the trigger; one that is not shown for the event has its default.
 *
 * @throws UserError for one that can't be used
 */
export function getParameters(context: IPollFunctions): TriggerParameters {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const timeZone = context.getTimezone();
	return {
		nameFilter: toTrimmedText(context.getNodeParameter('nameFilter', '')),
		withinDays: parseInteger(context.getNodeParameter('withinDays', 7), 'Within Days', 0),
		includeExisting: parseBoolean(options.includeExisting ?? false, 'Include Existing'),
		fieldsToIgnore: parseList(options.fieldsToIgnore, 'Fields to Ignore'),
		userId: parseUserId(options.userId),
		...getRequestLimits(context),
		timeZone,
		today: toCalendarDay(new Date(), timeZone),
	};
}

function parseUserId(value: unknown): string | undefined {
	const text = toTrimmedText(value);
	return text === '' ? undefined : parseId(text, userIdOption.displayName);
}

function toTrimmedText(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

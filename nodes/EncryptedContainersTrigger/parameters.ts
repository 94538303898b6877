import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { parseUserId } from '../shared/client/userId';
import { toCalendarDay } from '../shared/parameters/dates';
import type { RequestLimits } from '../shared/parameters/limits';
import { getRequestLimits } from '../shared/parameters/limits';
import { parseOptionalList } from '../shared/parameters/lists';
import {
	parseBoolean,
	parseInteger,
	parseOption,
	parseShortText,
} from '../shared/parameters/scalars';

/** The parameters of the trigger, parsed. */
export interface TriggerParameters extends RequestLimits {
	/** Part of a container's name; empty for all containers. */
	nameFilter: string;
	withinDays: number;
	includeExisting: boolean;
	fieldsToIgnore: string[];
	/** A user other than that of the API key. */
	userId?: string;
	/** The workflow's time zone, and the calendar day there, `YYYY-MM-DD`. */
	timeZone: string;
	today: string;
}

/** @throws UserError for a parameter that can't be used; those not shown for the event have their defaults */
export function getParameters(context: IPollFunctions): TriggerParameters {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const timeZone = context.getTimezone();
	return {
		nameFilter: parseShortText(
			context.getNodeParameter('nameFilter', ''),
			'Container Name Filter',
		).trim(),
		withinDays: parseInteger(context.getNodeParameter('withinDays', 7), 'Within Days', 0),
		includeExisting: parseOption(options, 'includeExisting', false, (value) =>
			parseBoolean(value, 'Include Existing'),
		),
		fieldsToIgnore: parseOption(options, 'fieldsToIgnore', [], (value) =>
			parseOptionalList(value, 'Fields to Ignore'),
		),
		userId: parseUserId(options, context.getNode().parameters.options),
		...getRequestLimits(options),
		timeZone,
		today: toCalendarDay(new Date(), timeZone),
	};
}

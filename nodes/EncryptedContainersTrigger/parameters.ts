import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { parseUserId } from '../shared/client/path';
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
	/** Part of a container's name (`matchesName`); empty for all containers. */
	nameContains: string;
	withinDays: number;
	includeExisting: boolean;
	includePreviousRules: boolean;
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
	const parseSwitch = (name: string, label: string) =>
		parseOption(options, name, false, (value) => parseBoolean(value, label));
	return {
		nameContains: parseShortText(
			context.getNodeParameter('nameContains', ''),
			'Name Contains',
		).trim(),
		withinDays: parseInteger(context.getNodeParameter('withinDays', 7), 'Within Days', 0),
		includeExisting: parseSwitch('includeExisting', 'Include Existing'),
		includePreviousRules: parseSwitch('includePreviousRules', 'Include Previous Rules'),
		fieldsToIgnore: parseOption(options, 'fieldsToIgnore', [], (value) =>
			parseOptionalList(value, 'Fields to Ignore'),
		),
		userId: parseUserId(options, context.getNode().parameters.options),
		...getRequestLimits(options),
		timeZone,
		today: toCalendarDay(new Date(), timeZone),
	};
}

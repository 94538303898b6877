import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { parseUserId } from '../shared/client/path';
import { toCalendarDay } from '../shared/parameters/dates';
import { getRequestLimits, type RequestLimits } from '../shared/parameters/limits';
import { parseList } from '../shared/parameters/lists';
import {
	parseBoolean,
	parseInteger,
	parseOption,
	parseShortText,
} from '../shared/parameters/scalars';

export interface TriggerParameters extends RequestLimits {
	/** Part of a container's name (`matchesName`); empty for all containers. */
	nameContains: string;
	withinDays: number;
	includeExisting: boolean;
	includePreviousRules: boolean;
	fieldsToIgnore: string[];
	/** A user other than that of the API key. */
	userId?: string;
	/** The calendar day in the workflow's time zone, `YYYY-MM-DD`. */
	today: string;
}

/** @throws UserError for a parameter that can't be used; those not shown for the event have their defaults */
export function getParameters(context: IPollFunctions): TriggerParameters {
	const getParameter = (name: string, fallback: string | number | object): unknown =>
		context.getNodeParameter(name, fallback);
	const options = getParameter('options', {}) as IDataObject;
	const parseSwitch = (name: string, label: string) =>
		parseOption(options, name, false, (value) => parseBoolean(value, label));
	return {
		nameContains: parseShortText(getParameter('nameContains', ''), 'Name Contains').trim(),
		withinDays: parseInteger(getParameter('withinDays', 7), 'Within Days', 0),
		includeExisting: parseSwitch('includeExisting', 'Include Existing'),
		includePreviousRules: parseSwitch('includePreviousRules', 'Include Previous Rules'),
		fieldsToIgnore: parseOption(options, 'fieldsToIgnore', [], (value) =>
			parseList(value, 'Fields to Ignore'),
		),
		userId: parseUserId(options, context.getNode().parameters.options),
		...getRequestLimits(options),
		today: toCalendarDay(new Date(), context.getTimezone()),
	};
}

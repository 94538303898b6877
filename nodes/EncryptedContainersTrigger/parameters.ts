import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { parseUserId } from '../shared/client/path';
import { toCalendarDay } from '../shared/parameters/dates';
import { getRequestLimits } from '../shared/parameters/limits';
import { parseList } from '../shared/parameters/lists';
import { parseQuery } from '../shared/parameters/query';
import { parseBoolean, parseInteger, parseShortText } from '../shared/parameters/scalars';

export type TriggerParameters = ReturnType<typeof getParameters>;

/** @throws UserError for a parameter that can't be used; those not shown for the event have their defaults */
export function getParameters(context: IPollFunctions) {
	const added = context.getNodeParameter('options', {}) as IDataObject;
	const presets = { includeExisting: false, includePreviousRules: false, fieldsToIgnore: [] };
	const options = { ...presets, ...added };
	const name = parseShortText(context.getNodeParameter('nameContains', ''), 'Name Contains');
	return {
		nameContains: name.trim(),
		withinDays: parseInteger(context.getNodeParameter('withinDays', 7), 'Within Days', 0),
		includeExisting: parseBoolean(options.includeExisting, 'Include Existing'),
		includePreviousRules: parseBoolean(options.includePreviousRules, 'Include Previous Rules'),
		fieldsToIgnore: parseList(options.fieldsToIgnore, 'Fields to Ignore'),
		query: parseQuery(added),
		userId: parseUserId(added, context.getNode().parameters.options),
		...getRequestLimits(added),
		today: toCalendarDay(new Date(), context.getTimezone()),
	};
}

import type { IDataObject, INodeProperties, IPollFunctions } from 'n8n-workflow';

import { parseUserId } from '../shared/client/path';
import {
	nameContainsOption,
	optionsField,
	queryOption,
	userIdOption,
} from '../shared/descriptions/options';
import { toCalendarDay } from '../shared/parameters/dates';
import { getRequestLimits, parseQuery } from '../shared/parameters/requestSettings';
import { parseList } from '../shared/parameters/lists';
import { parseBoolean, parseInteger, parseShortText } from '../shared/parameters/scalars';

const WITHIN_DAYS = 'Within Days';
const FIELDS_TO_IGNORE = 'Fields to Ignore';
const INCLUDE_EXISTING = 'Include Existing';
const INCLUDE_PREVIOUS_RULES = 'Include Previous Rules';

const showFor = (...events: string[]) => ({ show: { '/event': events } });

/** The fields below the event. */
export const fields: INodeProperties[] = [
	{
		displayName: WITHIN_DAYS,
		name: 'withinDays',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 7,
		description:
			'How many days before the last day of access the workflow starts, in the time zone of the workflow. 0 means on the last day.',
		displayOptions: showFor('accessEnding'),
	},
	{
		...nameContainsOption,
		displayOptions: showFor('accessEnding', 'accessRefused', 'containerOpened', 'drmChanged'),
	},
	optionsField([
		{
			displayName: FIELDS_TO_IGNORE,
			name: 'fieldsToIgnore',
			type: 'string',
			default: '',
			placeholder: 'e.g. last_seen, updated_at',
			description:
				"Contact fields whose changes don't trigger the workflow, separated by commas. For example, a timestamp that the service updates.",
			displayOptions: showFor('contactChanged'),
		},
		{
			displayName: INCLUDE_EXISTING,
			name: 'includeExisting',
			type: 'boolean',
			default: false,
			description:
				'Whether the first poll also returns everything that already exists. The first poll is the one after you activate the workflow for the first time, or after you rename the node or change the event, Name Contains, Fields to Ignore, Query Parameters, the user or the Base URL.',
			displayOptions: showFor(
				...['accessEnding', 'contactChanged', 'contactCreated', 'containerCreated', 'drmChanged'],
			),
		},
		{
			displayName: INCLUDE_PREVIOUS_RULES,
			name: 'includePreviousRules',
			type: 'boolean',
			default: false,
			description:
				'Whether to also return the recipients that were removed and the rules before the change. n8n then stores the access rules of all watched containers, recipients included, with the workflow. The first change after you turn it on can be without them.',
			displayOptions: showFor('drmChanged'),
		},
		queryOption,
		userIdOption,
	]),
];

export type TriggerParameters = ReturnType<typeof getParameters>;

/** @throws UserError for a parameter that can't be used; those not shown for the event have their defaults */
export function getParameters(context: IPollFunctions) {
	const added = context.getNodeParameter('options', {}) as IDataObject;
	const presets = { includeExisting: false, includePreviousRules: false, fieldsToIgnore: [] };
	const options = { ...presets, ...added };
	const { name: nameField, displayName: nameLabel } = nameContainsOption;
	return {
		nameContains: parseShortText(context.getNodeParameter(nameField, ''), nameLabel).trim(),
		withinDays: parseInteger(context.getNodeParameter('withinDays', 7), WITHIN_DAYS, 0),
		includeExisting: parseBoolean(options.includeExisting, INCLUDE_EXISTING),
		includePreviousRules: parseBoolean(options.includePreviousRules, INCLUDE_PREVIOUS_RULES),
		fieldsToIgnore: parseList(options.fieldsToIgnore, FIELDS_TO_IGNORE),
		query: parseQuery(added),
		userId: parseUserId(added, context.getNode().parameters.options),
		...getRequestLimits(added),
		today: toCalendarDay(new Date(), context.getTimezone()),
	};
}

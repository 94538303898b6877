import type { IDataObject, INodeProperties, IPollFunctions } from 'n8n-workflow';

import {
	nameContainsOption,
	optionsField,
	queryOption,
	simpleField,
	userIdOption,
} from '../shared/descriptions/options';
import { toCalendarDay } from '../shared/parameters/dates';
import { getRequestLimits, parseQuery, parseUserId } from '../shared/parameters/requests';
import { parseBoolean, parseInteger, parseList, parseShortText } from '../shared/parameters/values';

const showFor = (...events: string[]) => ({
	displayOptions: { show: { '/event': events } },
});

const withinDaysField: INodeProperties = {
	displayName: 'Within Days',
	name: 'withinDays',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 7,
	description:
		'How many days before the last day of access the workflow starts, in the time zone of the workflow. 0 means on the last day.',
	...showFor('accessEnding'),
};

const fieldsToIgnoreOption = simpleField(
	['Fields to Ignore', 'fieldsToIgnore', ''],
	"Contact fields whose changes don't trigger the workflow, separated by commas. For example, a timestamp that the service updates.",
	{ placeholder: 'e.g. last_seen, updated_at', ...showFor('contactChanged') },
);

const includeExistingOption = simpleField(
	['Include Existing', 'includeExisting', false],
	'Whether the first poll also returns everything that already exists. The first poll is the one after you activate the workflow for the first time, or after you rename the node or change the event, Name Contains, Fields to Ignore, Query Parameters, the user or the Base URL.',
	showFor('accessEnding', 'contactChanged', 'contactCreated', 'containerCreated', 'drmChanged'),
);

const includePreviousRulesOption = simpleField(
	['Include Previous Rules', 'includePreviousRules', false],
	'Whether to also return the recipients that were removed and the rules before the change. n8n then stores the access rules of all watched containers, recipients included, with the workflow. The first change after you turn it on can be without them.',
	showFor('drmChanged'),
);

/** The fields below the event. */
export const fields: INodeProperties[] = [
	withinDaysField,
	{
		...nameContainsOption,
		...showFor('accessEnding', 'accessRefused', 'containerOpened', 'drmChanged'),
	},
	optionsField([
		fieldsToIgnoreOption,
		includeExistingOption,
		includePreviousRulesOption,
		queryOption,
		userIdOption,
	]),
];

export type TriggerParameters = ReturnType<typeof getParameters>;

/** @throws UserError for a parameter that can't be used; those not shown for the event have their defaults */
export function getParameters(context: IPollFunctions) {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const parse = <T>(field: INodeProperties, parser: (value: unknown, label: string) => T) => {
		const { name, displayName, default: preset } = field;
		const isOption = Object.hasOwn(options, name);
		const value = isOption ? options[name] : context.getNodeParameter(name, preset as object);
		return parser(value, displayName);
	};
	return {
		nameContains: parse(nameContainsOption, parseShortText).trim(),
		withinDays: parse(withinDaysField, (days, label) => parseInteger(days, label, 0)),
		includeExisting: parse(includeExistingOption, parseBoolean),
		includePreviousRules: parse(includePreviousRulesOption, parseBoolean),
		fieldsToIgnore: parse(fieldsToIgnoreOption, parseList),
		query: parseQuery(options),
		userId: parseUserId(options, context.getNode().parameters.options),
		...getRequestLimits(options),
		today: toCalendarDay(new Date(), context.getTimezone()),
	};
}

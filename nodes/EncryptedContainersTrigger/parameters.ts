import type { INodeProperties, IPollFunctions } from 'n8n-workflow';

import {
	nameContainsOption,
	numberOption,
	optionsField,
	queryOption,
	simpleField,
	userIdOption,
	type Field,
} from '../shared/descriptions/options';
import { Parameters } from '../shared/parameters/fields';
import { readLimits, readQuery, readUserId } from '../shared/parameters/requests';
import { parseList } from '../shared/parameters/values';

const showFor = (...events: string[]) => ({
	displayOptions: { show: { '/event': events } },
});

const withinDaysField: Field<number> = {
	...numberOption(
		['Within Days', 'withinDays', 7],
		[0],
		'How many days before the last day of access the workflow starts. 0 means on the last day.',
	),
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
		...showFor(
			'accessEnding',
			'accessRefused',
			'accessRequested',
			'codeRefused',
			'containerOpened',
			'drmChanged',
			'filesReceived',
		),
	},
	optionsField([
		fieldsToIgnoreOption,
		includeExistingOption,
		includePreviousRulesOption,
		queryOption,
		userIdOption,
	]),
];

export type TriggerParameters = ReturnType<typeof parseTriggerParameters>;

/**
 * @param setByNode names of query parameters that are not the user's
 * @throws UserError for a parameter that can't be used; those not shown for the event have their defaults
 */
export function parseTriggerParameters(context: IPollFunctions, setByNode: string[]) {
	const parameters = new Parameters(context.getNode().parameters, (path, fallback): unknown =>
		context.getNodeParameter(path, fallback as object),
	);
	const ignored = parameters.evaluate(fieldsToIgnoreOption);
	return {
		nameContains: parameters.read(nameContainsOption),
		withinDays: parameters.read(withinDaysField),
		includeExisting: parameters.read(includeExistingOption),
		includePreviousRules: parameters.read(includePreviousRulesOption),
		fieldsToIgnore: parseList(ignored, fieldsToIgnoreOption.displayName),
		query: readQuery(parameters, setByNode),
		userId: readUserId(parameters),
		...readLimits(parameters),
	};
}

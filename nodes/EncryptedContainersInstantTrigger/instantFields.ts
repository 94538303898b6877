import type { INodeProperties, ITriggerFunctions } from 'n8n-workflow';

import { createActionsField, toActions } from '../shared/descriptions/actions';
import { nameContainsOption, optionsField, userIdOption } from '../shared/descriptions/options';
import { Parameters } from '../shared/parameters/fields';
import { readLimits, readUserId } from '../shared/parameters/requests';

const actionsField = createActionsField(
	['opened'],
	'The events that start the workflow. The first activation starts from now. Later ones also return what happened in between.',
);

export const instantFields: INodeProperties[] = [
	actionsField,
	nameContainsOption,
	optionsField([userIdOption]),
];

export type InstantParameters = ReturnType<typeof readInstantParameters>;

/** @throws UserError for a parameter that can't be used */
export function readInstantParameters(context: ITriggerFunctions) {
	const parameters = new Parameters(context.getNode().parameters, (path, fallback): unknown =>
		context.getNodeParameter(path, fallback as object),
	);
	return {
		actions: toActions(parameters.read(actionsField)),
		nameContains: parameters.read(nameContainsOption),
		userId: readUserId(parameters),
		...readLimits(parameters),
	};
}

import { tryToParseDateTime } from 'n8n-workflow';

import type { ListEntry } from '../../../shared/api/lists';
import { fetchEvents } from '../../../shared/api/serviceEvents';
import { endpoints } from '../../../shared/client/endpoints';
import { createActionsField, toActions } from '../../../shared/descriptions/actions';
import { simpleField } from '../../../shared/descriptions/options';
import { parseDate } from '../../../shared/parameters/dates';
import type { QueryParameters } from '../../../shared/parameters/requests';
import { toMoment } from '../../../shared/parameters/values';
import { choiceField, containerLocator, paginationFields } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { parseListOptions } from '../commonOperations';

const containersField = choiceField(
	['Containers', 'containers', 'all'],
	{ all: ['All'], one: ['One'] },
	'The containers whose activity to get',
);

const actionsField = createActionsField(['opened', 'refused'], 'What to list');

const afterOption = simpleField(
	['After', 'after', ''],
	'Only what happened after this moment, in the time zone of the workflow',
	{ type: 'dateTime' },
);

/** Lists the service's events (docs/openapi.yaml, listEvents, listContainerEvents), the newest first. */
export const getActivity = defineOperation({
	name: 'Get Activity',
	value: 'getActivity',
	action: 'Get the activity of containers',
	description: 'List who opened containers or was refused, when and from where',
	routing: { request: endpoints.listEvents },
	alsoSends: [endpoints.listContainerEvents],
	fields: [
		containersField,
		{ ...containerLocator, displayOptions: { show: { containers: ['one'] } } },
		actionsField,
		...paginationFields,
	],
	options: [afterOption],
	parse(item) {
		const isOne = item.read(containersField) === 'one';
		const containerId = isOne ? item.parsePathParam(containerLocator) : undefined;
		const actions = toActions(item.read(actionsField));
		const matches = ({ record }: ListEntry) => actions.includes(String(record.action));
		const query = parseAfter(item).concat([['order', 'desc']]);
		return { ...parseListOptions(item, matches), containerId, query };
	},
	send: async (item, list) => await fetchEvents(item.client, await item.getUserId(), list),
});

/** The moment as the API has it. A day begins in the time zone of the workflow. */
function parseAfter(item: Item): QueryParameters {
	if (!item.has(afterOption)) return [];
	const { timeZone } = item;
	const after: unknown = item.evaluate(afterOption);
	// Refuses what is no date.
	parseDate(after, afterOption.displayName, timeZone);
	const moment = tryToParseDateTime(toMoment(after) ?? after, timeZone).toJSDate();
	return [['created_after', moment.toISOString()]];
}

import { tryToParseDateTime, type IDataObject } from 'n8n-workflow';

import {
	assertEvents,
	createEventList,
	MAX_EVENTS_OF_PAGE,
	toEventItem,
} from '../../../shared/api/lists';
import { parseDate } from '../../../shared/parameters/dates';
import type { QueryParameters } from '../../../shared/parameters/requests';
import {
	parseChoice,
	parseChoiceField,
	parseList,
	toMoment,
} from '../../../shared/parameters/values';
import {
	choiceField,
	containerLocator,
	paginationFields,
	simpleField,
} from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { assertNotEmpty } from '../../parameters/drmRules';
import { fetchRecords, getListOptions } from '../commonOperations';

const containersField = choiceField(
	['Containers', 'containers', 'all'],
	{ all: ['All'], one: ['One'] },
	'The containers whose activity to get',
);

/** The `action` of the service's events by the value of the field. */
const ACTIONS = {
	created: 'container.create',
	deleted: 'container.delete',
	opened: 'container.open',
	refused: 'container.refuse',
	rulesChanged: 'drm.update',
};

const actionsField = choiceField<keyof typeof ACTIONS>(
	['Actions', 'actions', 'opened'],
	{
		refused: ['Access Refused'],
		rulesChanged: ['Access Rules Changed'],
		created: ['Container Created'],
		deleted: ['Container Deleted'],
		opened: ['Container Opened'],
	},
	'What to list',
	{ type: 'multiOptions', default: ['opened', 'refused'] },
);

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
	endpoint: { method: 'GET', path: '/users/{userId}/events' },
	fields: [
		containersField,
		{ ...containerLocator, displayOptions: { show: { containers: ['one'] } } },
		actionsField,
		...paginationFields,
	],
	options: [afterOption],
	parse(item) {
		const isOne = parseChoiceField(item, containersField) === 'one';
		const containerId = isOne ? item.parsePathParam(containerLocator) : undefined;
		const actions = parseActions(item);
		const query: QueryParameters = [
			['order', 'desc'],
			['limit', String(MAX_EVENTS_OF_PAGE)],
		];
		const after = parseAfter(item);
		if (after !== undefined) query.push(['created_after', after]);
		const matches = ({ action }: IDataObject) => actions.includes(String(action));
		return { containerId, list: { ...getListOptions(item), query, matches } };
	},
	async send(item, { containerId, list }) {
		await assertEvents(item.client);
		const events = await fetchRecords(item, createEventList(containerId), list);
		return events.map(({ record }) => toEventItem(record));
	},
});

function parseActions(item: Item): string[] {
	const { name, displayName: label, options } = actionsField;
	const values = parseList(item.getParameter(name), label);
	assertNotEmpty(values, label);
	return values.map((value) => ACTIONS[parseChoice(value, label, options)]);
}

/** The moment as the API has it. A day begins in the time zone of the workflow. */
function parseAfter(item: Item): string | undefined {
	const { timeZone } = item;
	const { after } = item.getOptions();
	if (after === undefined) return undefined;
	// Refuses what is no date.
	parseDate(after, afterOption.displayName, timeZone);
	return tryToParseDateTime(toMoment(after) ?? after, timeZone)
		.toJSDate()
		.toISOString();
}

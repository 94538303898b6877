import {
	tryToParseDateTime,
	UserError,
	type IDataObject,
	type INodePropertyOptions,
} from 'n8n-workflow';

import {
	assertEvents,
	createEventList,
	MAX_EVENTS_OF_PAGE,
	toEventItem,
} from '../../../shared/api/events';
import { parseDate } from '../../../shared/parameters/dates';
import { parseList } from '../../../shared/parameters/lists';
import type { QueryParameters } from '../../../shared/parameters/query';
import { parseChoice, parseChoiceField, type Choice } from '../../../shared/parameters/scalars';
import { toMoment } from '../../../shared/parameters/values';
import { choiceField, paginationFields, simpleField } from '../../descriptions/commonFields';
import { containerLocator } from '../../descriptions/locators';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { containerParam } from '../../execution/pathParams';
import { fetchRecords, getListOptions } from '../commonOperations';

const ACTIONS_LABEL = 'Actions';

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

const actionOptions: Array<Choice<keyof typeof ACTIONS>> = [
	{ name: 'Access Refused', value: 'refused' },
	{ name: 'Access Rules Changed', value: 'rulesChanged' },
	{ name: 'Container Created', value: 'created' },
	{ name: 'Container Deleted', value: 'deleted' },
	{ name: 'Container Opened', value: 'opened' },
];

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
		{
			displayName: ACTIONS_LABEL,
			name: 'actions',
			type: 'multiOptions',
			options: actionOptions as INodePropertyOptions[],
			default: ['opened', 'refused'],
			description: 'What to list',
		},
		...paginationFields,
	],
	options: [afterOption],
	parse(item) {
		const isOne = parseChoiceField(item, containersField) === 'one';
		const containerId = isOne ? item.parsePathParam(containerParam) : undefined;
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
	async send(call, { containerId, list }) {
		await assertEvents(call.client);
		const events = await fetchRecords(call, createEventList(containerId), list);
		return events.map(({ record }) => toEventItem(record));
	},
});

function parseActions(item: Item): string[] {
	const values = parseList(item.getParameter('actions'), ACTIONS_LABEL);
	if (values.length > 0) {
		return values.map((value) => ACTIONS[parseChoice(value, ACTIONS_LABEL, actionOptions)]);
	}
	throw new UserError(`"${ACTIONS_LABEL}" is empty`, {
		description: `Choose at least one action in "${ACTIONS_LABEL}".`,
	});
}

/** The moment as the API has it. A day begins in the time zone of the workflow. */
function parseAfter(item: Item): string | undefined {
	const { name, displayName } = afterOption;
	const options = item.getOptions();
	if (!Object.hasOwn(options, name)) return undefined;
	const value = options[name];
	// Refuses what is no date.
	parseDate(value, displayName, item.timeZone);
	const text = toMoment(value)?.toISOString() ?? String(value).trim();
	return tryToParseDateTime(text, item.timeZone).toJSDate().toISOString();
}

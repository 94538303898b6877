import type { INodeProperties } from 'n8n-workflow';

import {
	nameContainsOption,
	optionsField,
	queryOption,
	userIdOption,
} from '../shared/descriptions/options';
import { events } from './events';

const eventsOfExisting = events.filter((event) => 'isEvent' in event).map(({ value }) => value);

/** The parameters of the trigger; n8n adds the poll times. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Event',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: events.map(({ name, value, description }) => ({
			...{ name, value, description },
			action: `On ${name.toLowerCase()}`,
		})),
		default: 'containerCreated',
		description:
			'The event that starts the workflow. The first poll only stores what exists. Each later poll finds the changes since the last one, including changes while n8n was not running.',
	},
	{
		displayName: 'Within Days',
		name: 'withinDays',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 7,
		description:
			'How many days before the last day of access the workflow starts, in the time zone of the workflow. 0 means on the last day.',
		displayOptions: { show: { event: ['accessEnding'] } },
	},
	{
		...nameContainsOption,
		displayOptions: {
			show: { event: ['accessEnding', 'accessRefused', 'containerOpened', 'drmChanged'] },
		},
	},
	optionsField([
		{
			displayName: 'Fields to Ignore',
			name: 'fieldsToIgnore',
			type: 'string',
			default: '',
			placeholder: 'e.g. last_seen, updated_at',
			description:
				"Contact fields whose changes don't trigger the workflow, separated by commas. For example, a timestamp that the service updates.",
			displayOptions: { show: { '/event': ['contactChanged'] } },
		},
		{
			displayName: 'Include Existing',
			name: 'includeExisting',
			type: 'boolean',
			default: false,
			description:
				'Whether the first poll also returns everything that already exists. The first poll is the one after you activate the workflow for the first time, or after you rename the node or change the event, Name Contains, Fields to Ignore, Query Parameters, the user or the Base URL.',
			displayOptions: { show: { '/event': eventsOfExisting } },
		},
		{
			displayName: 'Include Previous Rules',
			name: 'includePreviousRules',
			type: 'boolean',
			default: false,
			description:
				'Whether to also return the recipients that were removed and the rules before the change. n8n then stores the access rules of all watched containers, recipients included, with the workflow. The first change after you turn it on can be without them.',
			displayOptions: { show: { '/event': ['drmChanged'] } },
		},
		queryOption,
		userIdOption,
	]),
];

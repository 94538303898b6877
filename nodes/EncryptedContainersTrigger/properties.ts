import type { INodeProperties } from 'n8n-workflow';

import { optionsField, userIdOption } from '../shared/descriptions/options';
import { events } from './events';

const eventOptions = Object.values(events).map(({ option }) => option);
const eventsWithout = (...left: string[]) =>
	Object.keys(events).filter((event) => !left.includes(event));

/** The parameters of the trigger; n8n adds the poll times. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Event',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: eventOptions,
		default: 'containerCreated',
		description:
			'What starts the workflow. The first poll only notes what exists. Each one after it finds what is different by then, also after a time in which n8n was not running.',
	},
	{
		displayName: 'Within Days',
		name: 'withinDays',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 7,
		description:
			"How many calendar days before its last day a container's access counts as ending, in the time zone of the workflow. 0 means on the last day itself.",
		displayOptions: { show: { event: ['accessEnding'] } },
	},
	{
		displayName: 'Container Name Filter',
		name: 'nameFilter',
		type: 'string',
		default: '',
		placeholder: 'e.g. invoice, or Contract *',
		description:
			'Only look at containers whose name contains this text or, with a * for any characters, is like it as a whole. Upper and lower case are the same. Each container that is left out is one request less at each poll.',
		displayOptions: { show: { event: ['accessEnding', 'drmChanged'] } },
	},
	optionsField([
		{
			displayName: 'Fields to Ignore',
			name: 'fieldsToIgnore',
			type: 'string',
			default: '',
			placeholder: 'e.g. last_seen, updated_at',
			description:
				'Fields of a contact, parted by commas, whose change is no event, such as a time stamp that the service keeps',
			displayOptions: { show: { '/event': ['contactChanged'] } },
		},
		{
			displayName: 'Include Existing',
			name: 'includeExisting',
			type: 'boolean',
			default: false,
			description:
				'Whether the first poll also emits everything that exists by then, once. It is the first one after the workflow is activated for the first time, or after the event, the name filter, the user or the base URL was changed.',
			displayOptions: { show: { '/event': eventsWithout('containerDeleted', 'contactDeleted') } },
		},
		userIdOption,
	]),
];

import { UserError, type IDataObject } from 'n8n-workflow';

import { CONTACT_LIST, CONTAINER_LIST } from '../shared/api/lists';
import { unwrapContact, withContainerId } from '../shared/api/records';
import { shorten } from '../shared/parameters/values';
import { toCanonicalText } from '../shared/responses/shapes';
import { hash, type Content, type TriggerEvent } from './eventTypes';
import { accessEnding, drmChanged } from './ruleEvents';

/** What the contact is known by, in any capitals, and what the service sets with each change. */
const NOT_COMPARED = ['email', 'updated_date'];

/** The events in the order of the selector: most used first. */
export const events: TriggerEvent[] = [
	{
		name: 'Container Created',
		value: 'containerCreated',
		description: 'When a container is created, in n8n or elsewhere',
		list: CONTAINER_LIST,
		toContent: ({ id, record }) => ({ content: '', toItem: () => withContainerId(id, record) }),
		isEvent: (before) => before === undefined,
	},
	{
		name: 'Container Opened',
		value: 'containerOpened',
		description: 'When somebody opens a container. Tells who, when and from where.',
		activity: 'container.open',
	},
	{
		name: 'Access Refused',
		value: 'accessRefused',
		description:
			'When somebody proves an address, but the access rules or the password keep them out. Tells who, when, from where and why.',
		activity: 'container.refuse',
	},
	accessEnding,
	drmChanged,
	{
		name: 'Container Deleted',
		value: 'containerDeleted',
		description: 'When a container is deleted',
		list: CONTAINER_LIST,
		toContent: ({ id, name }) => toDeleted({ containerId: id, name: name && shorten(name) }),
	},
	{
		name: 'Contact Created',
		value: 'contactCreated',
		description: 'When a contact is created',
		list: CONTACT_LIST,
		toContent: ({ record }) => ({ content: '', toItem: () => record }),
		isEvent: (before) => before === undefined,
	},
	{
		name: 'Contact Changed',
		value: 'contactChanged',
		description: "When a field of a contact changes. New contacts don't count as changed.",
		list: CONTACT_LIST,
		toContent({ record }, { fieldsToIgnore }) {
			const ignored = [...NOT_COMPARED, ...fieldsToIgnore];
			const fields = Object.entries(unwrapContact(record));
			const compared = fields.filter(([name]) => !ignored.includes(name));
			const content = hash(toCanonicalText(Object.fromEntries(compared)));
			return { content, toItem: () => record };
		},
		isEvent: (before, content) => before !== undefined && before !== content,
	},
	{
		name: 'Contact Deleted',
		value: 'contactDeleted',
		description: 'When a contact is deleted',
		list: CONTACT_LIST,
		toContent: ({ id }) => toDeleted({ email: id }),
	},
];

export function getEvent(value: unknown): TriggerEvent {
	const event = events.find((one) => one.value === value);
	if (event !== undefined) return event;
	throw new UserError('"Event" has an unknown value', {
		description: 'Choose an event from the list in "Event".',
	});
}

/** The state contains the item, because nothing else shows it later. */
function toDeleted(item: IDataObject): Content {
	return { content: JSON.stringify(item), toItem: () => item };
}

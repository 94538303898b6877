import type { IDataObject } from 'n8n-workflow';

import { CONTACT_LIST, CONTAINER_LIST } from '../../shared/api/lists';
import { withContainerId } from '../../shared/api/records';
import type { ListEvent } from '../types';

/** Limits what is saved. */
const MAX_NAME_LENGTH = 200;

export const containerCreated = createdEvent('container', ', in n8n or elsewhere', withContainerId);

export const contactCreated = createdEvent('contact', '', (_email, record) => record);

/** Emits the ID and the last name of a container, which the state therefore contains. */
export const containerDeleted = deletedEvent('container', (containerId, name) => ({
	containerId,
	...(name === '' ? {} : { name }),
}));

export const contactDeleted = deletedEvent('contact', (email) => ({ email }));

type Kind = 'container' | 'contact';

function createdEvent(
	kind: Kind,
	where: string,
	toItem: (id: string, record: IDataObject) => IDataObject,
): ListEvent {
	return {
		...describe(kind, 'Created', where),
		sample: `A test shows existing ${kind}s, the newest first if the service shows their dates.`,
		toContent: ({ id, record }) => ({ content: '', toItem: () => toItem(id, record) }),
		isEvent: (before) => before === undefined,
	};
}

function deletedEvent(kind: Kind, toItem: (id: string, name: string) => IDataObject): ListEvent {
	return {
		...describe(kind, 'Deleted'),
		sample: `Nothing was deleted. An item looks like this when a ${kind} is deleted.`,
		toContent({ id, name = '' }) {
			const isLong = name.length > MAX_NAME_LENGTH;
			const short = isLong ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
			return { content: `${id}\n${short}`, toItem: () => toItem(id, short) };
		},
		toDeletedItem(content) {
			const [id] = content.split('\n', 1);
			return toItem(id, content.slice(id.length + 1));
		},
	};
}

function describe(kind: Kind, change: 'Created' | 'Deleted', where = '') {
	return {
		option: {
			name: `${kind === 'container' ? 'Container' : 'Contact'} ${change}`,
			value: `${kind}${change}`,
			description: `When a ${kind} is ${change.toLowerCase()}${where}`,
		},
		list: kind === 'container' ? CONTAINER_LIST : CONTACT_LIST,
		nothingToShow: `There is no ${kind} to show as a sample`,
	};
}

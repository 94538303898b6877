import type { IDataObject } from 'n8n-workflow';

import { CONTACT_LIST, CONTAINER_LIST } from '../../shared/api/lists';
import type { TriggerEvent } from '../types';

/** Limits what is saved, whatever the service accepts as a name. */
const MAX_NAME_LENGTH = 200;

/** A container that is no longer in the list. Emits its ID and last name, which the state therefore contains. */
export const containerDeleted = createEvent('container', 'Container', (containerId, name) => ({
	containerId,
	...(name === '' ? {} : { name }),
}));

/** A contact that is no longer in the list. Emits its address. */
export const contactDeleted = createEvent('contact', 'Contact', (email) => ({ email }));

function createEvent(
	record: 'container' | 'contact',
	title: string,
	toDeletedItem: (id: string, name: string) => IDataObject,
): TriggerEvent {
	return {
		option: {
			name: `${title} Deleted`,
			value: `${record}Deleted`,
			description: `When a ${record} is deleted`,
			action: `On ${record} deleted`,
		},
		list: record === 'container' ? CONTAINER_LIST : CONTACT_LIST,
		sample: `Nothing was deleted. An item looks like this when a ${record} is deleted.`,
		nothingToShow: `There is no ${record} to show as a sample`,
		async fetch(fetcher) {
			return await fetcher.fetchList(({ id, name = '' }) => ({
				content: truncateName(name),
				toItem: () => toDeletedItem(id, name),
			}));
		},
		toDeletedItem,
	};
}

function truncateName(name: string): string {
	return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}

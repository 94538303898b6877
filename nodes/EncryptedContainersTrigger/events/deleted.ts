import type { IDataObject } from 'n8n-workflow';

import { CONTACT_LIST, CONTAINER_LIST } from '../../shared/api/lists';
import type { TriggerEvent } from '../types';

/** Limits what is saved, whatever the service accepts as a name. */
const MAX_NAME_LENGTH = 200;

/** A container that is no longer in the list. Emits its ID and last name, which the state therefore contains. */
export const containerDeleted: TriggerEvent = {
	option: {
		name: 'Container Deleted',
		value: 'containerDeleted',
		description: 'When a container is deleted',
		action: 'On container deleted',
	},
	list: CONTAINER_LIST,
	sample: 'Nothing was deleted. An item looks like this when a container is deleted.',
	nothingToShow: 'There is no container to show as a sample',
	async fetch(fetcher) {
		return await fetcher.fetchList(({ id, name = '' }) => ({
			content: truncateName(name),
			toItem: () => toDeletedContainer(id, name),
		}));
	},
	toDeletedItem: toDeletedContainer,
};

/** A contact that is no longer in the list. Emits its address. */
export const contactDeleted: TriggerEvent = {
	option: {
		name: 'Contact Deleted',
		value: 'contactDeleted',
		description: 'When a contact is deleted',
		action: 'On contact deleted',
	},
	list: CONTACT_LIST,
	sample: 'Nothing was deleted. An item looks like this when a contact is deleted.',
	nothingToShow: 'There is no contact to show as a sample',
	async fetch(fetcher) {
		return await fetcher.fetchList(({ id }) => ({
			content: '',
			toItem: () => toDeletedContact(id),
		}));
	},
	toDeletedItem: toDeletedContact,
};

function toDeletedContainer(containerId: string, name: string): IDataObject {
	return { containerId, ...(name === '' ? {} : { name }) };
}

function toDeletedContact(email: string): IDataObject {
	return { email };
}

function truncateName(name: string): string {
	return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}

import type { IDataObject } from 'n8n-workflow';

import { detectDeleted } from '../diff';
import type { TriggerEvent } from '../types';

/** A container that is no longer in the list. Emits its ID and last name, which the state therefore contains in full. */
export const containerDeleted: TriggerEvent = {
	option: {
		name: 'Container Deleted',
		value: 'containerDeleted',
		description: 'When a container is deleted',
		action: 'On container deleted',
	},
	comparison: detectDeleted(toDeletedContainer),
	canIncludeExisting: false,
	nothingToShow: 'There is no container to show as a sample',
	async fetch(fetcher) {
		const containers = await fetcher.fetchContainers();
		return containers.map(({ id, name }) => ({
			identity: id,
			name,
			toItem: () => toDeletedContainer(id, name),
		}));
	},
	stateKey: () => [],
};

/** A contact that is no longer in the list. Emits its address, which the state therefore contains in full. */
export const contactDeleted: TriggerEvent = {
	option: {
		name: 'Contact Deleted',
		value: 'contactDeleted',
		description: 'When a contact is deleted',
		action: 'On contact deleted',
	},
	comparison: detectDeleted(toDeletedContact),
	canIncludeExisting: false,
	nothingToShow: 'There is no contact to show as a sample',
	async fetch(fetcher) {
		const contacts = await fetcher.fetchContacts();
		return contacts.map(({ id }) => ({ identity: id, toItem: () => toDeletedContact(id) }));
	},
	stateKey: () => [],
};

function toDeletedContainer(containerId: string, name?: string): IDataObject {
	return { containerId, ...(name ? { name } : {}) };
}

function toDeletedContact(email: string): IDataObject {
	return { email };
}

import { detectCreated } from '../diff';
import type { TriggerEvent } from '../types';

/** A container that is new in the list. Emits its record from the list. */
export const containerCreated: TriggerEvent = {
	option: {
		name: 'Container Created',
		value: 'containerCreated',
		description: 'When a container is created, in n8n or elsewhere',
		action: 'On container created',
	},
	comparison: detectCreated,
	canIncludeExisting: true,
	nothingToShow: 'There is no container to show as a sample',
	async fetch(fetcher) {
		const containers = await fetcher.fetchContainers();
		return containers.map(({ id, record }) => ({ identity: id, toItem: () => record }));
	},
	stateKey: () => [],
};

/** A contact whose address is new in the list. Emits its record from the list. */
export const contactCreated: TriggerEvent = {
	option: {
		name: 'Contact Created',
		value: 'contactCreated',
		description: 'When a contact is created',
		action: 'On contact created',
	},
	comparison: detectCreated,
	canIncludeExisting: true,
	nothingToShow: 'There is no contact to show as a sample',
	async fetch(fetcher) {
		const contacts = await fetcher.fetchContacts();
		return contacts.map(({ id, record }) => ({ identity: id, toItem: () => record }));
	},
	stateKey: () => [],
};

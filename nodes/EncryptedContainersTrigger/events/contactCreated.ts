import { detectCreated } from '../diff';
import type { TriggerEvent } from '../types';

/** A contact whose address the list did not have before. Emits its record as the service lists it. */
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

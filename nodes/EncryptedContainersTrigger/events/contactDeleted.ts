import type { IDataObject } from 'n8n-workflow';

import { detectDeleted } from '../diff';
import type { TriggerEvent } from '../types';

/** A contact that the list does not have any more. Emits its address, which is therefore remembered in full. */
export const contactDeleted: TriggerEvent = {
	option: {
		name: 'Contact Deleted',
		value: 'contactDeleted',
		description: 'When a contact is deleted',
		action: 'On contact deleted',
	},
	comparison: detectDeleted(toItem),
	canIncludeExisting: false,
	nothingToShow: 'There is no contact to show as a sample',
	async fetch(fetcher) {
		const contacts = await fetcher.fetchContacts();
		return contacts.map(({ id }) => ({ identity: id, toItem: () => toItem(id) }));
	},
	stateKey: () => [],
};

function toItem(email: string): IDataObject {
	return { email };
}

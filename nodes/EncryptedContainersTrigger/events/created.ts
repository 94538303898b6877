import type { TriggerEvent } from '../types';

/** What both events have in common. */
const created = {
	async fetch(this: Pick<TriggerEvent, 'list'>, fetcher) {
		return await fetcher.fetchList(this.list, ({ id, record }) => ({
			id,
			content: '',
			toItem: () => record,
		}));
	},
	isEvent: (before) => before === undefined,
	stateKey: () => [],
} satisfies Partial<TriggerEvent>;

/** A container that is new in the list. Emits its record from the list. */
export const containerCreated: TriggerEvent = {
	...created,
	option: {
		name: 'Container Created',
		value: 'containerCreated',
		description: 'When a container is created, in n8n or elsewhere',
		action: 'On container created',
	},
	list: 'containers',
	nothingToShow: 'There is no container to show as a sample',
};

/** A contact whose address is new in the list. Emits its record from the list. */
export const contactCreated: TriggerEvent = {
	...created,
	option: {
		name: 'Contact Created',
		value: 'contactCreated',
		description: 'When a contact is created',
		action: 'On contact created',
	},
	list: 'contacts',
	nothingToShow: 'There is no contact to show as a sample',
};

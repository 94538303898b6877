import { sortNewestFirst } from '../../shared/api/creation';
import { CONTACT_LIST, CONTAINER_LIST } from '../../shared/api/lists';
import { withContainerId } from '../../shared/api/records';
import type { TriggerEvent } from '../types';

/** What both events have in common. */
const created = {
	async fetch(this: Pick<TriggerEvent, 'list'>, fetcher) {
		const reading = await fetcher.fetchList(({ id, record }) => ({
			content: '',
			toItem: () => (this.list === CONTAINER_LIST ? withContainerId(id, record) : record),
		}));
		if (!fetcher.options.isSample) return reading;
		return { ...reading, snapshots: sortNewestFirst(reading.snapshots, ({ toItem }) => toItem()) };
	},
	isEvent: (before) => before === undefined,
} satisfies Partial<TriggerEvent>;

/** A container that is new in the list. Emits its record from the list, with its ID. */
export const containerCreated: TriggerEvent = {
	...created,
	option: {
		name: 'Container Created',
		value: 'containerCreated',
		description: 'When a container is created, in n8n or elsewhere',
		action: 'On container created',
	},
	list: CONTAINER_LIST,
	sample: 'A test shows existing containers, the newest first if the service shows their dates.',
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
	list: CONTACT_LIST,
	sample: 'A test shows existing contacts, the newest first if the service shows their dates.',
	nothingToShow: 'There is no contact to show as a sample',
};

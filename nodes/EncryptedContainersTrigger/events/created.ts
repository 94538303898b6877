import { sortNewestFirst } from '../../shared/api/creation';
import { CONTACT_LIST, CONTAINER_LIST } from '../../shared/api/lists';
import { withContainerId } from '../../shared/api/records';
import type { TriggerEvent } from '../types';

/** A container that is new in the list. Emits its record from the list, with its ID. */
export const containerCreated = createEvent('container', 'Container', ', in n8n or elsewhere');

/** A contact whose address is new in the list. Emits its record from the list. */
export const contactCreated = createEvent('contact', 'Contact', '');

function createEvent(record: 'container' | 'contact', title: string, where: string): TriggerEvent {
	const isContainer = record === 'container';
	return {
		option: {
			name: `${title} Created`,
			value: `${record}Created`,
			description: `When a ${record} is created${where}`,
			action: `On ${record} created`,
		},
		list: isContainer ? CONTAINER_LIST : CONTACT_LIST,
		sample: `A test shows existing ${record}s, the newest first if the service shows their dates.`,
		nothingToShow: `There is no ${record} to show as a sample`,
		async fetch(fetcher) {
			const reading = await fetcher.fetchList(({ id, record: listed }) => ({
				content: '',
				toItem: () => (isContainer ? withContainerId(id, listed) : listed),
			}));
			if (!fetcher.options.isSample) return reading;
			return { ...reading, snapshots: sortNewestFirst(reading.snapshots, (one) => one.toItem()) };
		},
		isEvent: (before) => before === undefined,
	};
}

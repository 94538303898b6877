import { detectCreated } from '../diff';
import type { TriggerEvent } from '../types';

/** A container that the list did not have before. Emits its record as the service lists it. */
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

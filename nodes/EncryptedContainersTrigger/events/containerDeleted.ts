import type { IDataObject } from 'n8n-workflow';

import { detectDeleted } from '../diff';
import type { TriggerEvent } from '../types';

/**
 * A container that the list does not have any more. Emits its identifier and its name as last seen, which is why both
 * are remembered in full.
 */
export const containerDeleted: TriggerEvent = {
	option: {
		name: 'Container Deleted',
		value: 'containerDeleted',
		description: 'When a container is deleted',
		action: 'On container deleted',
	},
	comparison: detectDeleted(toItem),
	canIncludeExisting: false,
	nothingToShow: 'There is no container to show as a sample',
	async fetch(fetcher) {
		const containers = await fetcher.fetchContainers();
		return containers.map(({ id, name }) => ({
			identity: id,
			name,
			toItem: () => toItem(id, name),
		}));
	},
	stateKey: () => [],
};

function toItem(containerId: string, name?: string): IDataObject {
	return { containerId, ...(name ? { name } : {}) };
}

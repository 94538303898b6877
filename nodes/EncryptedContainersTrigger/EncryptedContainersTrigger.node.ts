import type { INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { createSubtitle } from '../shared/descriptions/options';
import { eventOptions } from './events';
import { fields } from './parameters';
import { poll } from './poll';

export class EncryptedContainersTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Encrypted Containers Trigger',
		name: 'encryptedContainersTrigger',
		icon: {
			light: 'file:../../icons/encryptedContainers.svg',
			dark: 'file:../../icons/encryptedContainers.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: createSubtitle(
			Object.fromEntries(eventOptions.map(({ value, name }) => [value, name])),
			'$parameter["event"]',
		),
		// n8n's nodes panel shows it for both nodes.
		description:
			'Share files in encrypted containers, control who can open them, and react when one is opened, access is refused or about to end, or containers and contacts change',
		defaults: { name: 'Encrypted Containers Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'encryptedContainersApi', required: true }],
		properties: [
			{
				displayName: 'Event',
				name: 'event',
				type: 'options',
				noDataExpression: true,
				options: eventOptions,
				default: 'containerCreated',
				description:
					'The event that starts the workflow. For what people do with a container, Encrypted Containers Instant Trigger starts it at once, if your service can. The first poll only stores what exists. Each later poll finds the changes since the last one, including changes while n8n was not running.',
			},
			...fields,
		],
	};

	async poll(this: IPollFunctions) {
		return await poll(this);
	}
}

import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { poll } from './poll';
import { properties } from './properties';

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
		subtitle: '={{ $parameter["event"] }}',
		description:
			'Starts the workflow when containers or contacts are created, changed or deleted, or when access is about to end',
		defaults: { name: 'Encrypted Containers Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'encryptedContainersApi', required: true }],
		properties,
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this);
	}
}

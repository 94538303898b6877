import type {
	INodeType,
	INodeTypeDescription,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { createActionsSubtitle } from '../shared/descriptions/actions';
import { instantFields } from './instantFields';
import { startTrigger } from './startTrigger';

/**
 * Waits at the service for its events, so that a workflow starts at once. What is no event of the service, such as access
 * that ends soon, and services without `events_wait` need the trigger that polls.
 */
export class EncryptedContainersInstantTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Encrypted Containers Instant Trigger',
		name: 'encryptedContainersInstantTrigger',
		icon: {
			light: 'file:../../icons/encryptedContainers.svg',
			dark: 'file:../../icons/encryptedContainers.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: createActionsSubtitle(),
		description:
			'Start at once when somebody opens an encrypted container, views or downloads a file, or is refused. Use Encrypted Containers Trigger for access that ends soon and for contacts.',
		defaults: { name: 'Encrypted Containers Instant Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'encryptedContainersApi', required: true }],
		properties: instantFields,
	};

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await startTrigger(this);
	}
}

import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { createSubtitle } from '../shared/descriptions/options';
import { getCountries, hints } from './descriptions/ruleFields';
import { searchContacts, searchContainers, searchRequests } from './listSearch/searchList';
import { contact } from './resources/contact/index';
import { container } from './resources/container/index';
import { nameOperations, toCustomOperations, toProperties } from './resources/defineResource';
import { drm } from './resources/drm/index';
import { request } from './resources/request/index';
import { user } from './resources/user';

const resources = [container, drm, request, contact, user];

/**
 * A declarative node: each operation declares its request, method and path, in `routing`. It has custom operations,
 * because n8n's own way sends one request for each item by itself, and people need more:
 * - all items at once: nothing is sent unless all of them can be, and a few run at a time, in their order;
 * - uploads that are read from n8n's storage while they are sent, and sent again after an outage;
 * - one read, such as a list of containers, for all items that need it, and one container for the files of all;
 * - errors that say what happened, to which item, and what to do.
 *
 * The way of a Get: `execute` (defineOperation) → `Run.execute`, `runJobs`, `runJob` (run) → `send` of the operation
 * (commonOperations) → `Client.request`, `attempt` (client) → `exchange` (transport) → n8n's helper. Get Many has
 * `fetchEntries` (lists) and `fetchPages` (paging) before the client. Agents that call the tool by themselves come by
 * `pagination`.
 */
export class EncryptedContainers implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Encrypted Containers',
		name: 'encryptedContainers',
		icon: {
			light: 'file:../../icons/encryptedContainers.svg',
			dark: 'file:../../icons/encryptedContainers.dark.svg',
		},
		group: ['output'],
		version: 1,
		subtitle: createSubtitle(
			nameOperations(resources),
			'$parameter["resource"] + "." + $parameter["operation"]',
		),
		description:
			'Share files in encrypted containers, control who can open them, and keep contacts in sync',
		defaults: { name: 'Encrypted Containers' },
		usableAsTool: true,
		hints,
		builderHint: {
			searchHint:
				'Encode (resource Container) sends files to people: they can open them only under rules such as recipients and an end date.\nUpdate and Revoke Access (resource "Access Rules (DRM)") change or end that access later, with the containerId of the output.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'encryptedContainersApi', required: true }],
		// Marks the node as declarative. The base URL comes from the credential.
		requestDefaults: {},
		properties: toProperties(resources),
	};

	customOperations = toCustomOperations(resources);

	methods = {
		listSearch: { searchContacts, searchContainers, searchRequests },
		loadOptions: { getCountries },
	};
}

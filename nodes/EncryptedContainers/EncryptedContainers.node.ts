import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { createSubtitle } from '../shared/descriptions/options';
import { getCountries, hints } from './descriptions/ruleFields';
import { searchContacts, searchContainers } from './listSearch/searchList';
import { contact } from './resources/contact/index';
import { container } from './resources/container/index';
import { nameOperations, toCustomOperations, toProperties } from './resources/defineResource';
import { drm } from './resources/drm/index';
import { user } from './resources/user';

const resources = [container, drm, contact, user];

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
				'Encode (resource Container) sends files to people: they can open them only under rules such as recipients and an end date.\nUpdate and Revoke Access (resource DRM) change or end that access later, with the ID from container.uuid.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'encryptedContainersApi', required: true }],
		// Marks the node as declarative. The base URL comes from the credential (getConnection).
		requestDefaults: {},
		properties: toProperties(resources),
	};

	customOperations = toCustomOperations(resources);

	methods = {
		listSearch: { searchContacts, searchContainers },
		loadOptions: { getCountries },
	};
}

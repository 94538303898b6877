import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField } from '../../../shared/descriptions/options';
import { containerLocator } from '../../descriptions/locators';
import { DRM_PATH } from '../../../shared/api/fetchRules';
import { routing } from '../../execution/defineOperation';
import { revokeAccess } from './revoke';

export const option: INodePropertyOptions = {
	name: 'Revoke Access',
	value: 'revoke',
	action: 'Revoke access to a container',
	description:
		'End the access of everyone as of yesterday and keep all other rules. A new end date gives access back; copies that someone saved stay where they are.',
	routing: routing({ method: 'PATCH', url: DRM_PATH }, revokeAccess),
};

export const fields: INodeProperties[] = [containerLocator, optionsField()];

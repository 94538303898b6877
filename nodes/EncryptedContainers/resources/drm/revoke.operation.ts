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
		'End access for everyone by setting the last day to yesterday. All other rules stay as they are. To restore access, set a new end date. Downloaded copies are not affected.',
	routing: routing({ method: 'PATCH', url: DRM_PATH }, revokeAccess),
};

export const fields: INodeProperties[] = [containerLocator, optionsField()];

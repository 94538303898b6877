import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField } from '../../../shared/input/options';
import { containerLocator } from '../../../shared/locators';
import { RULES_URL } from '../../../shared/rules/readPresentRules';
import { routing } from '../../../shared/run/operation';
import { revokeAccess } from './revoke.request';

export const option: INodePropertyOptions = {
	name: 'Revoke Access',
	value: 'revoke',
	action: 'Revoke access to a container',
	description:
		'End the access of everyone as of yesterday and keep all other rules. A new end date gives access back; copies that someone saved stay where they are.',
	routing: routing({ method: 'PATCH', url: RULES_URL }, revokeAccess),
};

export const fields: INodeProperties[] = [containerLocator, optionsField()];

import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField } from '../../../shared/descriptions/options';
import { containerLocator } from '../../descriptions/locators';
import { getRecord } from '../commonOperations';
import { DRM_PATH } from '../../../shared/api/fetchRules';
import { routing } from '../../execution/defineOperation';

export const option: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	action: 'Get the access rules of a container',
	description:
		'Get the access rules (DRM) of a container: who can open it, where, when and how often',
	routing: routing({ method: 'GET', url: DRM_PATH }, getRecord('get the rules of the container')),
};

export const fields: INodeProperties[] = [containerLocator, optionsField()];

import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField } from '../../../shared/input/options';
import { containerLocator } from '../../../shared/locators';
import { getRecord } from '../../../shared/operations/getRecord';
import { RULES_URL } from '../../../shared/rules/readPresentRules';
import { routing } from '../../../shared/run/operation';

export const option: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	action: 'Get the access rules of a container',
	description: 'Get the DRM rules of a container: who may open it, where, when and how often',
	routing: routing({ method: 'GET', url: RULES_URL }, getRecord('get the rules of the container')),
};

export const fields: INodeProperties[] = [containerLocator, optionsField()];

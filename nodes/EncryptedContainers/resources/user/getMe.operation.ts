import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField } from '../../../shared/descriptions/options';
import { getRecord } from '../commonOperations';
import { routing } from '../../execution/defineOperation';

export const option: INodePropertyOptions = {
	name: 'Get Me',
	value: 'getMe',
	action: 'Get the user of the API key',
	description: 'Get the user that the API key belongs to',
	routing: routing({ method: 'GET', url: '/me' }, getRecord('get the user of the API key')),
};

export const fields: INodeProperties[] = [optionsField()];

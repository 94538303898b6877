import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField } from '../../../shared/input/options';
import { getRecord } from '../../../shared/operations/getRecord';
import { routing } from '../../../shared/run/operation';

export const option: INodePropertyOptions = {
	name: 'Get Me',
	value: 'getMe',
	action: 'Get the user of the API key',
	description: 'Get the user whose API key is used',
	routing: routing({ method: 'GET', url: '/me' }, getRecord('get the user of the API key')),
};

export const fields: INodeProperties[] = [optionsField()];

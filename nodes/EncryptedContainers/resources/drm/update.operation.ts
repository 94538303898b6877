import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField } from '../../../shared/descriptions/options';
import { containerLocator } from '../../descriptions/locators';
import { updateRuleFields } from '../../descriptions/drmRules';
import { DRM_PATH } from '../../../shared/api/fetchRules';
import { routing } from '../../execution/defineOperation';
import { updateRules } from './update';

export const option: INodePropertyOptions = {
	name: 'Update',
	value: 'update',
	action: 'Update the access rules of a container',
	description:
		'Change some DRM rules of a container and keep the others. Only works if the container was encoded with rules that can be changed.',
	routing: routing({ method: 'PATCH', url: DRM_PATH }, updateRules),
};

export const fields: INodeProperties[] = [
	containerLocator,
	{
		displayName: 'Specify Rules',
		name: 'specifyRules',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Using Fields Below', value: 'fields' },
			{ name: 'Using JSON', value: 'json' },
		],
		default: 'fields',
		description: 'How to enter the rules to change',
	},
	{
		displayName: 'Rules to Change',
		name: 'rules',
		type: 'collection',
		placeholder: 'Add Rule',
		default: {},
		description: 'Rules that you do not add stay as they are',
		options: updateRuleFields,
		displayOptions: { show: { specifyRules: ['fields'] } },
	},
	{
		displayName: 'Rules (JSON)',
		name: 'rulesJson',
		type: 'json',
		default: '{\n  "opens": 5,\n  "time": { "end": "2026-12-31" }\n}',
		required: true,
		description:
			'DRM rules in the form of the service: dynamic, geo, ip, opens, time, downloadable and recipients. Also for finer rules, such as a city in geo.',
		displayOptions: { show: { specifyRules: ['json'] } },
	},
	optionsField({
		displayName: 'Keep Other Rules',
		name: 'keepOtherRules',
		type: 'boolean',
		default: true,
		description:
			'Whether to read the present rules first and send them along, so that no other rule is lost. Without it only the rules given here are sent, which is one request less.',
	}),
];

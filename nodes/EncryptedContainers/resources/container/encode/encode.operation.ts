import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField, userIdOption } from '../../../../shared/descriptions/options';
import { encodeRuleFields } from '../../../descriptions/drmRules';
import { routing } from '../../../execution/defineOperation';
import { encodeFiles } from './encode';

export const option: INodePropertyOptions = {
	name: 'Encode',
	value: 'encode',
	action: 'Encode files into a container',
	description: 'Encrypt files into a new container and say who may open it',
	routing: routing({ method: 'POST', url: '/users/{userId}/containers/encode' }, encodeFiles),
};

export const fields: INodeProperties[] = [
	{
		displayName: 'Container Mode',
		name: 'containerMode',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'One Container per Item',
				value: 'perItem',
				description: 'Each input item becomes a container of its own',
			},
			{
				name: 'All Items in One Container',
				value: 'allItems',
				description:
					'The files of all input items go into one container; its name and rules come from the first item',
			},
		],
		default: 'perItem',
		description: 'How many containers to make',
	},
	{
		displayName: 'File Source',
		name: 'fileSource',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'All Binary Fields',
				value: 'all',
				description: 'Every file of the input item',
			},
			{
				name: 'Named Binary Fields',
				value: 'named',
				description: 'The files in the binary fields that you name',
			},
			{
				name: 'Text',
				value: 'text',
				description: 'A text that you enter or build with an expression, without a file before it',
			},
		],
		default: 'named',
		description: 'Where the files come from',
	},
	{
		displayName: 'Input Binary Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		placeholder: 'e.g. data',
		hint: 'The name of the input field containing the file to be encrypted',
		description: 'Several fields are parted by commas, for example attachment_0, attachment_1',
		displayOptions: { show: { fileSource: ['named'] } },
	},
	{
		displayName: 'Text',
		name: 'textContent',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. Quarterly report: revenue grew by 4 %.',
		description: 'Content of the file, sent as UTF-8',
		displayOptions: { show: { fileSource: ['text'] } },
	},
	{
		displayName: 'File Name',
		name: 'textFileName',
		type: 'string',
		default: 'text.txt',
		required: true,
		placeholder: 'e.g. report.txt',
		description:
			'Name of the file in the container. Its ending (.txt, .csv, .html, .md) tells viewers what it is.',
		displayOptions: { show: { fileSource: ['text'] } },
	},
	{
		displayName: 'Specify Manifest',
		name: 'specifyManifest',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Using Fields Below', value: 'fields' },
			{ name: 'Using JSON', value: 'json' },
		],
		default: 'fields',
		description: 'How to enter the name and the access rules of the container',
	},
	{
		displayName: 'Container Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Invoice 2026-0042',
		description: 'Name under which the container is listed',
		displayOptions: { show: { specifyManifest: ['fields'] } },
	},
	{
		displayName: 'Recipients',
		name: 'recipients',
		type: 'string',
		default: '',
		placeholder: 'e.g. anna@example.com, *@example.org',
		description:
			'E-mail addresses that may open the container, parted by commas, or a list by expression. A wildcard such as *@example.com stands for a domain, *@* for anyone who is signed in.',
		displayOptions: { show: { specifyManifest: ['fields'] } },
	},
	{
		displayName: 'Downloadable',
		name: 'downloadable',
		type: 'boolean',
		default: false,
		description: 'Whether recipients may save the content; otherwise they can only view it',
		displayOptions: { show: { specifyManifest: ['fields'] } },
	},
	{
		displayName:
			'To be able to change the rules or revoke access later, add the rule "Rules Can Be Changed Later". Without it they are sealed into the container for good.',
		name: 'dynamicNotice',
		type: 'notice',
		default: '',
		displayOptions: {
			show: { specifyManifest: ['fields'] },
			hide: { '/drmRules.dynamic': [true] },
		},
	},
	{
		displayName: 'Access Rules (DRM)',
		name: 'drmRules',
		type: 'collection',
		placeholder: 'Add Rule',
		default: {},
		description:
			'When, where and how often the container opens. A rule that you do not add is not sent.',
		options: encodeRuleFields,
		displayOptions: { show: { specifyManifest: ['fields'] } },
	},
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'collection',
		placeholder: 'Add Password',
		default: {},
		options: [
			{
				displayName: 'Password',
				name: 'password',
				type: 'string',
				typeOptions: { password: true },
				default: '',
				description:
					'Viewers must enter it to open the container. The service cannot show it again, and it is in no output of this node.',
			},
		],
		displayOptions: { show: { specifyManifest: ['fields'] } },
	},
	{
		displayName: 'Manifest (JSON)',
		name: 'manifestJson',
		type: 'json',
		default:
			'{\n  "container": {\n    "name": "Invoice 2026-0042",\n    "recipients": ["anna@example.com"],\n    "downloadable": false,\n    "drm": { "dynamic": true }\n  }\n}',
		required: true,
		description:
			'The whole manifest in the form of the service, sent as it is. Also for what the fields do not offer, such as rules for a city or settings for a file.',
		displayOptions: { show: { specifyManifest: ['json'] } },
	},
	optionsField(
		userIdOption,
		{
			displayName: 'File Part Name',
			name: 'filePartName',
			type: 'string',
			default: 'file',
			description: 'Name of each file part in the request. Only change it for an older service.',
		},
		{
			displayName: 'If Container Exists',
			name: 'ifExists',
			type: 'options',
			options: [
				{
					name: 'Create Another',
					value: 'create',
					description: 'Make a new container, whatever there is',
				},
				{
					name: 'Fail',
					value: 'fail',
					description: 'Stop with an error and send nothing',
				},
				{
					name: 'Reuse Existing',
					value: 'reuse',
					description:
						'Send nothing and answer the present container, so that running again makes no duplicate',
				},
			],
			default: 'create',
			description:
				'What to do when the user already has a container of this name. For anything but Create Another, the list of containers is read once a run.',
		},
		{
			displayName: 'Include File Digests',
			name: 'includeFileDigests',
			type: 'boolean',
			default: false,
			description:
				'Whether to add name, size and SHA-256 of each file to the output, as proof of what was sent',
		},
		{
			displayName: 'Manifest Part Name',
			name: 'manifestPartName',
			type: 'string',
			default: 'manifest.json',
			description: 'Name of the manifest part in the request. Only change it for an older service.',
		},
	),
];

import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';

import {
	accessDaysField,
	dynamicField,
	encodeRuleFields,
	NO_RECIPIENTS_NOTICE,
	SEALED_NOTICE,
	timeEndField,
} from '../../../descriptions/drmRules';
import { recipientOptions } from '../../../descriptions/commonFields';
import { defineOperation } from '../../../execution/defineOperation';
import { userParam } from '../../../execution/pathParams';
import { ACCESS_ENDS, CONTAINER_MODES, FILE_SOURCES, IF_EXISTS, MANIFEST_MODES } from './choices';
import { encode } from './encode';
import { ALLOW_NO_RECIPIENTS } from './manifest';

/** The fields of the manifest, where it is not entered as JSON. */
const manifestFields: INodeProperties[] = [
	{
		displayName: 'Container Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Invoice 2026-0042',
		description: 'Name of the container, as shown in lists',
	},
	{
		displayName: 'Recipients',
		name: 'recipients',
		type: 'string',
		default: '',
		builderHint: {
			propertyHint: 'Always set it: one string with addresses that are separated by commas.',
		},
		placeholder: 'e.g. anna@example.com, *@example.org',
		description:
			'Email addresses of the people who can open the container, separated by commas, or a list from an expression. *@example.com means everyone at example.com.',
	},
	{
		displayName: NO_RECIPIENTS_NOTICE,
		name: 'recipientsNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { '/options.allowNoRecipients': [true] } },
	},
	{
		displayName: 'Access Ends',
		name: 'accessEnds',
		type: 'options',
		options: ACCESS_ENDS,
		default: 'never',
		description: 'When people can no longer open the container (time.end in the API)',
	},
	{
		...timeEndField,
		displayOptions: { show: { accessEnds: ['onDate'] } },
	},
	{
		...accessDaysField,
		displayOptions: { show: { accessEnds: ['afterDays'] } },
	},
	dynamicField,
	{
		displayName: SEALED_NOTICE,
		name: 'dynamicNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { dynamic: [false] } },
	},
	{
		displayName: 'Downloadable',
		name: 'downloadable',
		type: 'boolean',
		default: false,
		description: 'Whether recipients can download the files. If off, they can only view them.',
	},
	{
		displayName: 'More Access Rules',
		name: 'drmRules',
		type: 'collection',
		placeholder: 'Add Rule',
		default: {},
		description:
			'From where, from when and how often people can open the container (drm in the API), and its password. The node only sends rules that you add.',
		options: encodeRuleFields,
	},
];

const fileSourceField = {
	displayName: 'File Source',
	name: 'fileSource',
	noDataExpression: true,
};

export const encodeFiles = defineOperation({
	name: 'Encode (Encrypt Files)',
	value: 'encode',
	action: 'Encode (encrypt) files into a container',
	description: 'Encrypt files into a new container and set its access rules',
	endpoint: { method: 'POST', path: ['users', userParam, 'containers', 'encode'] },
	fields: [
		{
			displayName:
				'Let the model define at least Text, Container Name and Recipients, with the button beside each field. Whatever text the model reads can decide whom it enters as a recipient: add Options > Allowed Recipients.',
			name: 'encodeToolNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { '@tool': [true] } },
		},
		{
			...fileSourceField,
			type: 'options',
			options: FILE_SOURCES,
			default: 'named',
			description: 'Where the files come from',
			displayOptions: { show: { '@tool': [false] } },
		},
		{
			...fileSourceField,
			type: 'options',
			// As the tool of an agent, the node has no input item.
			options: FILE_SOURCES.filter(({ value }) => value !== 'all'),
			default: 'text',
			description:
				'Where the files come from. A tool has no input file: Named Binary Fields needs an expression that returns one.',
			displayOptions: { show: { '@tool': [true] } },
		},
		{
			displayName: 'Input Binary Field',
			name: 'binaryPropertyName',
			type: 'string',
			default: 'data',
			required: true,
			placeholder: 'e.g. data',
			builderHint: {
				propertyHint:
					'The name of the binary field, not its content. Usually data, the field that the previous node names.',
			},
			hint: 'The name of the input field containing the file to be encrypted',
			description:
				"Separate multiple field names with commas, for example attachment_0, attachment_1. An expression can also return files of other nodes, such as {{ $('Read').item.binary.data }}.",
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
				'Name of the file in the container. The extension (.txt, .csv, .html, .md) sets the file type.',
			displayOptions: { show: { fileSource: ['text'] } },
		},
		...updateDisplayOptions({ show: { specifyManifest: ['fields'] } }, manifestFields),
		{
			displayName: 'Container Mode',
			name: 'containerMode',
			type: 'options',
			noDataExpression: true,
			options: CONTAINER_MODES,
			default: 'perItem',
			description: 'How many containers to create',
			displayOptions: { show: { '@tool': [false] } },
		},
		{
			displayName: 'Specify Manifest',
			name: 'specifyManifest',
			type: 'options',
			noDataExpression: true,
			options: MANIFEST_MODES,
			default: 'fields',
			description:
				'How to enter the name and the access rules of the container. JSON also takes what has no field, and what the fields refuse.',
		},
		{
			displayName: 'Manifest (JSON)',
			name: 'manifestJson',
			type: 'json',
			default:
				'{\n  "container": {\n    "name": "Invoice 2026-0042",\n    "recipients": ["anna@example.com"],\n    "downloadable": false,\n    "drm": { "dynamic": true }\n  }\n}',
			required: true,
			description:
				'The complete manifest in the format of the service. Sent unchanged. Use it for settings that have no field, such as rules for a city or settings for a file.',
			displayOptions: { show: { specifyManifest: ['json'] } },
		},
	],
	options: [
		...recipientOptions,
		{
			displayName: ALLOW_NO_RECIPIENTS,
			name: 'allowNoRecipients',
			type: 'boolean',
			default: false,
			description:
				'Whether to create the container without recipients. Then it is up to the service who can open it.',
		},
		{
			displayName: 'File Part Name',
			name: 'filePartName',
			type: 'string',
			default: 'file',
			description: 'Name of each file part in the request. Only change this for older services.',
		},
		{
			displayName: 'If Container Exists',
			name: 'ifExists',
			type: 'options',
			options: IF_EXISTS,
			default: 'create',
			description:
				'What to do if the user already has a container with this name. Fail and Reuse Existing fetch the container list once per execution.',
		},
		{
			displayName: 'Include File Digests',
			name: 'includeFileDigests',
			type: 'boolean',
			default: false,
			description:
				'Whether to add the name, size and SHA-256 hash of each file to the output, as proof of what was sent',
		},
		{
			displayName: 'Manifest Part Name',
			name: 'manifestPartName',
			type: 'string',
			default: 'manifest.json',
			description: 'Name of the manifest part in the request. Only change this for older services.',
		},
	],
	...encode,
});

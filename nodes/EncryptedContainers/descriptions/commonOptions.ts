import type { INodeProperties } from 'n8n-workflow';

export const dryRunOption: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: false,
	description: 'Whether to only return what would be done, without changing anything',
};

export const nameContainsOption: INodeProperties = {
	displayName: 'Name Contains',
	name: 'nameContains',
	type: 'string',
	default: '',
	placeholder: 'e.g. invoice, or Contract * 2026',
	description:
		'Only containers whose name contains this text, in capitals or not. * stands for any characters, ? for one.',
};

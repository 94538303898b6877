import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { parseChoice } from '../../../shared/parameters/scalars';
import type { Item } from '../../execution/item';

/** A field with a list of choices. */
interface ChoiceField<Value extends string> extends INodeProperties {
	options: Array<INodePropertyOptions & { value: Value }>;
}

/** @throws UserError for another value than those of the list */
export function parseChoiceField<Value extends string>(
	item: Pick<Item, 'getParameter'>,
	{ name, displayName, options }: ChoiceField<Value>,
): Value {
	return parseChoice(item.getParameter(name), displayName, options);
}

export const specifyRules: ChoiceField<'fields' | 'json'> = {
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
};

export const ifNobodyIsLeft: ChoiceField<'revoke' | 'skip'> = {
	displayName: 'If Nobody Is Left',
	name: 'ifNobodyIsLeft',
	type: 'options',
	options: [
		{ name: 'Revoke Access', value: 'revoke', description: 'End access to the container' },
		{
			name: 'Skip',
			value: 'skip',
			description: 'Leave the container as it is, and say so in the output',
		},
	],
	default: 'revoke',
	description: 'What to do if the person is the only recipient of a container',
};

export const ifWildcardCovers: ChoiceField<'removeWildcard' | 'report'> = {
	displayName: 'If a Wildcard Covers the Address',
	name: 'ifWildcardCovers',
	type: 'options',
	options: [
		{
			name: 'Remove the Wildcard',
			value: 'removeWildcard',
			description: 'Everybody whom only the wildcard lets in loses access too',
		},
		{
			name: 'Report',
			value: 'report',
			description: 'Leave the container as it is, and say so in the output',
		},
	],
	default: 'report',
	description: 'What to do if a recipient such as *@example.com also gives the person access',
};

export const containersField: ChoiceField<'all' | 'byName' | 'one'> = {
	displayName: 'Containers',
	name: 'containers',
	type: 'options',
	options: [
		{ name: 'All', value: 'all' },
		{ name: 'By Name', value: 'byName' },
		{ name: 'One', value: 'one' },
	],
	default: 'all',
	description: 'Which containers to work on',
};

export const policyField: ChoiceField<'credential' | 'fields'> = {
	displayName: 'Policy',
	name: 'policy',
	type: 'options',
	options: [
		{ name: 'Guardrails of the Credential', value: 'credential' },
		{ name: 'Fields Below', value: 'fields' },
	],
	default: 'credential',
	description: 'What the rules of the containers are compared with',
};

export const onViolationField: ChoiceField<'fix' | 'report' | 'revoke'> = {
	displayName: 'On Violation',
	name: 'onViolation',
	type: 'options',
	options: [
		{
			name: 'Fix',
			value: 'fix',
			description:
				'Shorten the end, remove recipients who are not allowed, and turn off download. If nobody would be left, access ends.',
		},
		{ name: 'Report', value: 'report', description: 'Change nothing' },
		{ name: 'Revoke Access', value: 'revoke', description: 'End access to the container' },
	],
	default: 'report',
	description: 'What to do with a container that breaks the policy',
};

import { contactEmailField } from '../../descriptions/locators';
import { dryRunOption, nameContainsOption } from '../../descriptions/commonOptions';
import { defineOperation } from '../../execution/defineOperation';
import { userParam } from '../../execution/pathParams';
import { IF_NOBODY_IS_LEFT, IF_WILDCARD_COVERS } from './choices';
import { removeEverywhere } from './removeEverywhere';

export const removeRecipientEverywhere = defineOperation({
	name: 'Remove Recipient Everywhere',
	value: 'removeEverywhere',
	action: 'Remove a recipient from all containers',
	description:
		'End the access of a person to all containers of a user, for example when somebody leaves (offboarding)',
	endpoint: { method: 'GET', path: ['users', userParam, 'containers'] },
	fields: [
		{
			...contactEmailField,
			description: 'Email address of the person who loses access',
		},
		{
			displayName: 'If Nobody Is Left',
			name: 'ifNobodyIsLeft',
			type: 'options',
			options: IF_NOBODY_IS_LEFT,
			default: 'revoke',
			description: 'What to do if the person is the only recipient of a container',
		},
		{
			displayName: 'If a Wildcard Covers the Address',
			name: 'ifWildcardCovers',
			type: 'options',
			options: IF_WILDCARD_COVERS,
			default: 'report',
			description: 'What to do if a recipient such as *@example.com also gives the person access',
		},
	],
	options: [dryRunOption, nameContainsOption],
	...removeEverywhere,
});

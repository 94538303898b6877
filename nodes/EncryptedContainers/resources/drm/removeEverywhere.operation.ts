import { nameContainsOption } from '../../../shared/descriptions/options';
import { dryRunOption } from '../../descriptions/commonFields';
import { contactEmailField } from '../../descriptions/locators';
import { defineOperation } from '../../execution/defineOperation';
import { userParam } from '../../execution/pathParams';
import { ifNobodyIsLeft, ifWildcardCovers } from './choices';
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
		ifNobodyIsLeft,
		ifWildcardCovers,
	],
	options: [dryRunOption, nameContainsOption],
	...removeEverywhere,
});

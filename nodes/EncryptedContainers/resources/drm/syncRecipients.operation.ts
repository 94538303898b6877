import { dryRunOption, recipientOptions } from '../../descriptions/commonFields';
import { contactEmailField } from '../../descriptions/locators';
import { defineOperation } from '../../execution/defineOperation';
import { userParam } from '../../execution/pathParams';
import { selectionFields } from './selectContainers';
import { MAX_REMOVALS, syncRecipients } from './syncRecipients';

export const syncContainerRecipients = defineOperation({
	name: 'Sync Recipients',
	value: 'syncRecipients',
	action: 'Sync the recipients of containers',
	description: 'Make the recipients of containers those of all input items together',
	endpoint: { method: 'GET', path: ['users', userParam, 'containers'] },
	fields: [
		...selectionFields('one'),
		{
			...contactEmailField,
			description: 'Email address of a recipient: an expression that returns that of each item',
		},
		{
			displayName: 'Keep Addresses',
			name: 'keepAddresses',
			type: 'string',
			default: '',
			placeholder: 'e.g. me@example.com, *@example.org',
			description: 'Addresses and wildcards that are never removed, separated by commas',
		},
	],
	options: [
		...recipientOptions,
		dryRunOption,
		{
			displayName: MAX_REMOVALS,
			name: 'maxRemovals',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 100, numberPrecision: 0 },
			default: 10,
			description:
				'If more than this percentage of the recipients of a container would be removed, the node changes nothing and fails',
		},
	],
	...syncRecipients,
});

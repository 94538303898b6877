import { MAX_DAYS } from '../../../shared/parameters/dates';
import { dryRunOption, recipientOptions } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { userParam } from '../../execution/pathParams';
import { check } from './check';
import { onViolationField, policyField } from './choices';
import { selectionFields } from './selectContainers';

const [allowedRecipients] = recipientOptions;

export const checkRules = defineOperation({
	name: 'Check Rules',
	value: 'check',
	action: 'Check the access rules of containers',
	description:
		'Compare containers with a policy (audit, GDPR), and mend those that break it if you want',
	endpoint: { method: 'GET', path: ['users', userParam, 'containers'] },
	fields: [
		...selectionFields('all'),
		policyField,
		{
			displayName: 'Policy Fields',
			name: 'policyFields',
			type: 'collection',
			placeholder: 'Add Rule',
			default: {},
			displayOptions: { show: { policy: ['fields'] } },
			options: [
				{ ...allowedRecipients, description: 'Addresses and wildcards that can be recipients' },
				{
					displayName: 'Forbid Download',
					name: 'forbidDownload',
					type: 'boolean',
					default: true,
					description: 'Whether files can only be viewed',
				},
				{
					displayName: 'Longest Access (Days)',
					name: 'maxAccessDays',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: MAX_DAYS, numberPrecision: 0 },
					default: 90,
					description: 'In how many days from today access has to end',
				},
				{
					displayName: 'Require End',
					name: 'requireEnd',
					type: 'boolean',
					default: true,
					description: 'Whether access has to end at all',
				},
			],
		},
		onViolationField,
	],
	options: [dryRunOption],
	...check,
});

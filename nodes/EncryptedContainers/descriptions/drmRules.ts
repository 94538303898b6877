import type { INodeProperties } from 'n8n-workflow';

import { countryOptions } from './countries';

/** Display names of the rule fields, which messages name too. */
export const RULE_LABELS = {
	dynamic: 'Rules Can Be Changed Later',
	geoAllow: 'Countries Allowed',
	geoBlock: 'Countries Blocked',
	ipAllow: 'IP Addresses Allowed',
	ipBlock: 'IP Addresses Blocked',
	opens: 'Maximum Opens',
	timeStart: 'Available From',
	timeEnd: 'Available Until',
	downloadable: 'Downloadable',
	recipients: 'Recipients',
	addRecipients: 'Add Recipients',
	removeRecipients: 'Remove Recipients',
} as const;

const IP_FORMS =
	'Addresses (203.0.113.7), networks (192.168.1.0/24), wildcards (192.*.1.*) or ranges (10.0.0.1-10.0.0.9), parted by commas';

/** The rule fields of encode, in the order of their display names. */
export const encodeRuleFields: INodeProperties[] = [
	{
		displayName: RULE_LABELS.timeStart,
		name: 'timeStart',
		type: 'dateTime',
		typeOptions: { dateOnly: true },
		default: '',
		description:
			'First day on which the container opens. The day counts, in the time zone of the workflow; the time of day does not.',
	},
	{
		displayName: RULE_LABELS.timeEnd,
		name: 'timeEnd',
		type: 'dateTime',
		typeOptions: { dateOnly: true },
		default: '',
		description:
			'Last day on which the container opens. The day counts, in the time zone of the workflow; the time of day does not.',
	},
	{
		displayName: RULE_LABELS.geoAllow,
		name: 'geoAllow',
		type: 'multiOptions',
		options: countryOptions,
		default: [],
		description:
			'Countries in which the container opens, and no others. By expression: a list of codes such as ["CH", "DE"].',
	},
	{
		displayName: RULE_LABELS.geoBlock,
		name: 'geoBlock',
		type: 'multiOptions',
		options: countryOptions,
		default: [],
		description:
			'Countries in which the container does not open. If countries are allowed as well, only those count as open.',
	},
	{
		displayName: RULE_LABELS.ipAllow,
		name: 'ipAllow',
		type: 'string',
		default: '',
		placeholder: 'e.g. 203.0.113.7, 192.168.1.0/24',
		description: `Where the container opens, and nowhere else. ${IP_FORMS}.`,
	},
	{
		displayName: RULE_LABELS.ipBlock,
		name: 'ipBlock',
		type: 'string',
		default: '',
		placeholder: 'e.g. 198.51.100.0/24',
		description: `Where the container does not open. ${IP_FORMS}.`,
	},
	{
		displayName: RULE_LABELS.opens,
		name: 'opens',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 1,
		description: 'How often each viewer may open the container',
	},
	{
		displayName: RULE_LABELS.dynamic,
		name: 'dynamic',
		type: 'boolean',
		default: true,
		description:
			'Whether the rules may be changed or access ended after encoding. Without it the rules are sealed into the container for good.',
	},
];

const updateOnlyFields: INodeProperties[] = [
	{
		displayName: RULE_LABELS.addRecipients,
		name: 'addRecipients',
		type: 'string',
		default: '',
		placeholder: 'e.g. anna@example.com, *@example.org',
		description: 'Addresses that may open the container from now on, beside those that may already',
	},
	{
		displayName: RULE_LABELS.downloadable,
		name: 'downloadable',
		type: 'boolean',
		default: false,
		description: 'Whether recipients may save the content',
	},
	{
		displayName: RULE_LABELS.recipients,
		name: 'recipients',
		type: 'string',
		default: '',
		placeholder: 'e.g. anna@example.com, *@example.org',
		description:
			'Addresses that may open the container, in place of all present ones. A wildcard such as *@example.com stands for a domain.',
	},
	{
		displayName: RULE_LABELS.removeRecipients,
		name: 'removeRecipients',
		type: 'string',
		default: '',
		placeholder: 'e.g. bob@example.com',
		description:
			'Addresses that may no longer open the container. At least one recipient must remain; to end access for all, use Revoke Access.',
	},
];

/** The rule fields of a change: those of encode, and those that are fields of their own there or none. */
export const updateRuleFields: INodeProperties[] = [...encodeRuleFields, ...updateOnlyFields].sort(
	(a, b) => a.displayName.localeCompare(b.displayName, 'en'),
);

import type { INodeProperties } from 'n8n-workflow';

import { sortByDisplayName } from '../../shared/descriptions/options';
import { MAX_DAYS } from '../../shared/parameters/dates';
import { countryOptions } from './countries';

export const RULE_LABELS = {
	dynamic: 'Allow Changes Later',
	geoAllow: 'Countries Allowed',
	geoBlock: 'Countries Blocked',
	ipAllow: 'IP Addresses Allowed',
	ipBlock: 'IP Addresses Blocked',
	opens: 'Maximum Opens',
	timeStart: 'Available From',
	timeEnd: 'Available Until',
	accessDays: 'Days Until Access Ends',
	extendByDays: 'Days to Extend Access',
	downloadable: 'Downloadable',
	recipients: 'Recipients: Replace All',
	addRecipients: 'Recipients: Add',
	removeRecipients: 'Recipients: Remove',
} as const;

export const NO_RECIPIENTS_NOTICE =
	'Without recipients, it is up to the service who can open the container.';

export const SEALED_NOTICE =
	"The rules will be sealed into the container permanently. Access can't be revoked then.";

export const PASSWORD_LABEL = 'Password';

const IP_FORMS =
	'Enter IP addresses (203.0.113.7), networks (192.168.1.0/24), wildcards (192.*.1.*) or ranges (10.0.0.1-10.0.0.9), separated by commas';

export const dynamicField = ruleField('dynamic', {
	type: 'boolean',
	default: true,
	description:
		"Whether the rules can be changed later (dynamic in the API). Turn off to seal the rules into the container permanently. Access can't be revoked then.",
	builderHint: {
		propertyHint: 'Keep true where a workflow updates the rules or revokes access later.',
	},
});

export const timeEndField = dayField(
	'timeEnd',
	'Last day on which people can open the container, in the time zone of the workflow (time.end in the API)',
	{
		builderHint: {
			propertyHint:
				'A calendar day, such as 2027-01-31. For a number of days from today, use accessDays instead.',
		},
	},
);

export const accessDaysField = ruleField('accessDays', {
	type: 'number',
	typeOptions: { minValue: 0, maxValue: MAX_DAYS, numberPrecision: 0 },
	default: 30,
	description:
		'How many days from today people can open the container, in the time zone of the workflow (time.end in the API). 0 means that today is the last day.',
});

/** The rule fields that encode and update share, in the order of their display names. */
const sharedRuleFields: INodeProperties[] = [
	dayField(
		'timeStart',
		'First day on which people can open the container, in the time zone of the workflow (time.start in the API)',
	),
	countriesField(
		'geoAllow',
		'People can only open the container in these countries (geo.allow in the API). In an expression, use a list of country codes such as ["CH", "DE"].',
	),
	countriesField(
		'geoBlock',
		'People can\'t open the container in these countries (geo.block in the API). If "Countries Allowed" is also set, people can only open it in the allowed countries.',
	),
	listField(
		'ipAllow',
		'203.0.113.7, 192.168.1.0/24',
		`People can only open the container from these addresses (ip.allow in the API). ${IP_FORMS}.`,
	),
	listField(
		'ipBlock',
		'198.51.100.0/24',
		`People can't open the container from these addresses (ip.block in the API). ${IP_FORMS}.`,
	),
	ruleField('opens', {
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1,
		description: 'How many times each viewer can open the container (opens in the API)',
	}),
];

/** The rules that encode has no control of their own for. */
export const encodeRuleFields: INodeProperties[] = [
	...sharedRuleFields,
	{
		displayName: PASSWORD_LABEL,
		name: 'password',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		description:
			"Password that viewers must enter to open the container. The service can't show it again, and the node never returns it.",
	},
];

/** The rule fields of an update: those of encode, and those that are no rule fields there. */
export const updateRuleFields = sortByDisplayName([
	...sharedRuleFields,
	accessDaysField,
	dynamicField,
	timeEndField,
	ruleField('extendByDays', {
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MAX_DAYS, numberPrecision: 0 },
		default: 7,
		description:
			'How many days later access ends than now. If access is over already, the days count from today, in the time zone of the workflow. A container without an end stays unchanged.',
	}),
	listField(
		'addRecipients',
		'anna@example.com, *@example.org',
		'Email addresses to add to the current recipients',
	),
	ruleField('downloadable', {
		type: 'boolean',
		default: false,
		description: 'Whether recipients can download the files',
	}),
	listField(
		'recipients',
		'anna@example.com, *@example.org',
		'Email addresses that replace all current recipients. *@example.com means everyone at example.com.',
	),
	listField(
		'removeRecipients',
		'bob@example.com',
		'Email addresses to remove from the current recipients. At least one recipient must remain. To end access for everyone, use Revoke Access.',
	),
]);

function ruleField(
	name: keyof typeof RULE_LABELS,
	field: Omit<INodeProperties, 'displayName' | 'name'>,
): INodeProperties {
	return { displayName: RULE_LABELS[name], name, ...field };
}

function dayField(
	name: keyof typeof RULE_LABELS,
	description: string,
	more: Partial<INodeProperties> = {},
): INodeProperties {
	const typeOptions = { dateOnly: true };
	return ruleField(name, { type: 'dateTime', typeOptions, default: '', description, ...more });
}

function countriesField(name: keyof typeof RULE_LABELS, description: string): INodeProperties {
	return ruleField(name, {
		type: 'multiOptions',
		options: countryOptions,
		default: [],
		description,
	});
}

function listField(
	name: keyof typeof RULE_LABELS,
	example: string,
	description: string,
): INodeProperties {
	return ruleField(name, {
		type: 'string',
		default: '',
		placeholder: `e.g. ${example}`,
		description,
	});
}

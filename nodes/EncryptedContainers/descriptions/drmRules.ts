import type { INodeProperties, NodeHint } from 'n8n-workflow';

import { sortByDisplayName } from '../../shared/descriptions/options';
import { MAX_DAYS } from '../../shared/parameters/dates';
import { simpleField } from './commonFields';
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
	removeRules: 'Limits to Remove',
} as const;

export const NO_RECIPIENTS_NOTICE = 'Without recipients, only the owner can open the container.';

export const SEALED_NOTICE =
	"The rules will be sealed into the container permanently. Access can't be revoked then.";

export const PASSWORD_LABEL = 'Password';

const IP_FORMS =
	'Enter IP addresses (203.0.113.7), networks (192.168.1.0/24), wildcards (192.*.1.*) or ranges (10.0.0.1-10.0.0.9), separated by commas';

type UnnamedField = Omit<INodeProperties, 'displayName' | 'name'>;

const day: UnnamedField = { type: 'dateTime', typeOptions: { dateOnly: true }, default: '' };
const countries: UnnamedField = { type: 'multiOptions', options: countryOptions, default: [] };
const list: UnnamedField = { type: 'string', default: '' };

export const dynamicField = ruleField('dynamic', {
	type: 'boolean',
	default: true,
	description:
		"Whether the rules can be changed later (dynamic in the API). Turn off to seal the rules into the container permanently. Access can't be revoked then.",
	builderHint: {
		propertyHint: 'Keep true where a workflow updates the rules or revokes access later.',
	},
});

export const timeEndField = ruleField('timeEnd', {
	...day,
	description:
		'Last day on which people can open the container, in the time zone of the workflow (time.end in the API)',
	builderHint: {
		propertyHint:
			'A calendar day, such as 2027-01-31. For a number of days from today, use accessDays instead.',
	},
});

export const accessDaysField = ruleField('accessDays', {
	type: 'number',
	typeOptions: { minValue: 0, maxValue: MAX_DAYS, numberPrecision: 0 },
	default: 30,
	description:
		'How many days from today people can open the container, in the time zone of the workflow (time.end in the API). 0 means that today is the last day.',
});

/** The rule fields that encode and update share, in the order of their display names. */
const sharedRuleFields: INodeProperties[] = [
	ruleField('timeStart', {
		...day,
		description:
			'First day on which people can open the container, in the time zone of the workflow (time.start in the API)',
	}),
	ruleField('geoAllow', {
		...countries,
		description:
			'People can only open the container in these countries (geo.allow in the API). In an expression, use a list of country codes such as ["CH", "DE"].',
	}),
	ruleField('geoBlock', {
		...countries,
		description:
			'People can\'t open the container in these countries (geo.block in the API). If "Countries Allowed" is also set, people can only open it in the allowed countries.',
	}),
	ruleField('ipAllow', {
		...list,
		placeholder: 'e.g. 203.0.113.7, 192.168.1.0/24',
		description: `People can only open the container from these addresses (ip.allow in the API). ${IP_FORMS}.`,
	}),
	ruleField('ipBlock', {
		...list,
		placeholder: 'e.g. 198.51.100.0/24',
		description: `People can't open the container from these addresses (ip.block in the API). ${IP_FORMS}.`,
	}),
	ruleField('opens', {
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1,
		description:
			'How many times the container can be opened, by all recipients together (opens in the API)',
	}),
];

export const encodeRuleFields: INodeProperties[] = [
	...sharedRuleFields,
	simpleField(
		[PASSWORD_LABEL, 'password', ''],
		"Password that viewers must enter to open the container. The service can't show it again, and the node never returns it.",
		{ typeOptions: { password: true } },
	),
];

export const removeRulesField = {
	...ruleField('removeRules', { type: 'multiOptions', default: [] }),
	description: 'Rules that no longer limit who can open the container',
	options: [
		{ name: RULE_LABELS.timeStart, value: 'timeStart' },
		{ name: RULE_LABELS.timeEnd, value: 'timeEnd' },
		{ name: 'Countries', value: 'geo' },
		{ name: 'IP Addresses', value: 'ip' },
		{ name: RULE_LABELS.opens, value: 'opens' },
	],
} satisfies INodeProperties;

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
	ruleField('addRecipients', {
		...list,
		placeholder: 'e.g. anna@example.com, *@example.org',
		description: 'Email addresses to add to the current recipients',
	}),
	ruleField('downloadable', {
		type: 'boolean',
		default: false,
		description: 'Whether recipients can download the files',
	}),
	ruleField('recipients', {
		...list,
		placeholder: 'e.g. anna@example.com, *@example.org',
		description:
			'Email addresses that replace all current recipients. *@example.com means everyone at example.com.',
	}),
	ruleField('removeRecipients', {
		...list,
		placeholder: 'e.g. bob@example.com',
		description:
			'Email addresses to remove from the current recipients. At least one recipient must remain. To end access for everyone, use Revoke Access.',
	}),
	removeRulesField,
]);

function ruleField(name: keyof typeof RULE_LABELS, field: UnnamedField): INodeProperties {
	return { displayName: RULE_LABELS[name], name, ...field };
}

/** The container of a manifest that is entered as JSON. As entered: an expression has no value before the run. */
const jsonContainer =
	'(() => { try { return $rawParameter.specifyManifest === "json" ? JSON.parse($rawParameter.manifestJson).container : undefined } catch { return undefined } })()';

/** What the editor shows before a run. n8n shows a hint only where its condition is a boolean. */
export const hints: NodeHint[] = [
	{
		message: SEALED_NOTICE,
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ((container) => Boolean(container) && container.drm?.dynamic !== true)(${jsonContainer}) || $rawParameter.rules?.dynamic === false }}`,
	},
];

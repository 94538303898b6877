import type { INodeProperties, NodeHint } from 'n8n-workflow';

import { sortByDisplayName } from '../../shared/descriptions/options';
import { MAX_DAYS } from '../../shared/parameters/dates';
import { simpleField } from './commonFields';

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

type UnnamedField = Omit<INodeProperties, 'displayName' | 'name' | 'description'>;

const day: UnnamedField = { type: 'dateTime', typeOptions: { dateOnly: true }, default: '' };
const countries: UnnamedField = {
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getCountries' },
	default: [],
};
const addresses: UnnamedField = {
	type: 'string',
	default: '',
	placeholder: 'e.g. anna@example.com, *@example.org',
};
const networks: UnnamedField = {
	type: 'string',
	default: '',
	placeholder: 'e.g. 203.0.113.7, 192.168.1.0/24',
};

export const dynamicField = ruleField(
	'dynamic',
	"Whether the rules can be changed later. Off is permanent: access can't be revoked then.",
	{ type: 'boolean', default: true },
);

export const timeEndField = ruleField(
	'timeEnd',
	'Last day of access, in the time zone of the workflow',
	{ ...day, builderHint: { propertyHint: 'A day, such as 2027-01-31' } },
);

export const accessDaysField = ruleField(
	'accessDays',
	'How many days from today access ends. 0 means that today is the last day.',
	dayCount(0, 30),
);

/** The rule fields that encode and update share, in the order of their display names. */
const sharedRuleFields: INodeProperties[] = [
	ruleField('timeStart', 'First day of access, in the time zone of the workflow', day),
	ruleField(
		'geoAllow',
		'The only countries to open the container in. Expressions use codes such as CH.',
		countries,
	),
	ruleField('geoBlock', "People can't open the container in these countries", countries),
	ruleField(
		'ipAllow',
		'People can only open the container from these addresses, networks (10.0.0.0/8), wildcards (192.*.1.*) or ranges (10.0.0.1-10.0.0.9)',
		networks,
	),
	ruleField('ipBlock', "People can't open the container from these addresses", networks),
	ruleField('opens', 'How many times the container can be opened, by all together', {
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1,
	}),
];

export const encodeRuleFields: INodeProperties[] = [
	...sharedRuleFields,
	simpleField(
		[PASSWORD_LABEL, 'password', ''],
		'Password to open the container. Nobody can read it again.',
		{ typeOptions: { password: true } },
	),
];

export const removeRulesField = {
	...ruleField('removeRules', 'Rules that no longer limit who can open the container', {
		type: 'multiOptions',
		default: [],
	}),
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
	ruleField(
		'extendByDays',
		'How many days later access ends, counted from today if it is over. Without an end, nothing changes.',
		dayCount(1, 7),
	),
	ruleField('addRecipients', 'Email addresses to add to the current recipients', addresses),
	ruleField('downloadable', 'Whether recipients can download the files', {
		type: 'boolean',
		default: false,
	}),
	ruleField('recipients', 'Email addresses that replace all current recipients', addresses),
	ruleField(
		'removeRecipients',
		'Email addresses to remove from the current recipients. To remove all, use Revoke Access.',
		addresses,
	),
	removeRulesField,
]);

function ruleField(
	name: keyof typeof RULE_LABELS,
	description: string,
	field: UnnamedField,
): INodeProperties {
	return { displayName: RULE_LABELS[name], name, ...field, description };
}

function dayCount(minValue: number, preset: number): UnnamedField {
	const typeOptions = { minValue, maxValue: MAX_DAYS, numberPrecision: 0 };
	return { type: 'number', typeOptions, default: preset };
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

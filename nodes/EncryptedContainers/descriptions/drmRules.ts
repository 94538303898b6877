import type { INodeProperties, NodeHint } from 'n8n-workflow';

import { sortByDisplayName } from '../../shared/descriptions/options';
import { MAX_DAYS } from '../../shared/parameters/dates';
import { simpleField } from './commonFields';

export const NO_RECIPIENTS_NOTICE = 'Without recipients, only the owner can open the container.';

export const SEALED_NOTICE =
	"The rules will be sealed into the container permanently. Access can't be revoked then.";

export const PASSWORD_LABEL = 'Password';

type Kind = Omit<INodeProperties, 'displayName' | 'name' | 'description'>;

const day: Kind = { type: 'dateTime', typeOptions: { dateOnly: true }, default: '' };
const countries: Kind = {
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getCountries' },
	default: [],
};
const addresses: Kind = {
	type: 'string',
	default: '',
	placeholder: 'e.g. anna@example.com, *@example.org',
};
const networks: Kind = {
	type: 'string',
	default: '',
	placeholder: 'e.g. 203.0.113.7, 192.168.1.0/24',
};
const count = (minValue: number, preset: number, maxValue?: number): Kind => ({
	type: 'number',
	typeOptions: { minValue, ...(maxValue === undefined ? {} : { maxValue }), numberPrecision: 0 },
	default: preset,
});

/** The rules that can be removed, by the names of their fields. */
export const removableRules = [
	{ name: 'Available From', value: 'timeStart' },
	{ name: 'Available Until', value: 'timeEnd' },
	{ name: 'Countries', value: 'geo' },
	{ name: 'IP Addresses', value: 'ip' },
	{ name: 'Maximum Opens', value: 'opens' },
];

/** The rule fields: label, description and kind of each. */
const FIELDS = {
	timeStart: ['Available From', 'First day of access, in the time zone of the workflow', day],
	geoAllow: [
		'Countries Allowed',
		'The only countries to open the container in. Expressions use codes such as CH.',
		countries,
	],
	geoBlock: ['Countries Blocked', "People can't open the container in these countries", countries],
	ipAllow: [
		'IP Addresses Allowed',
		'People can only open the container from these addresses, networks (10.0.0.0/8), wildcards (192.*.1.*) or ranges (10.0.0.1-10.0.0.9)',
		networks,
	],
	ipBlock: [
		'IP Addresses Blocked',
		"People can't open the container from these addresses",
		networks,
	],
	opens: [
		'Maximum Opens',
		'How many times the container can be opened, by all together',
		count(1, 1),
	],
	timeEnd: [
		'Available Until',
		'Last day of access, in the time zone of the workflow',
		{ ...day, builderHint: { propertyHint: 'A day, such as 2027-01-31' } },
	],
	accessDays: [
		'Days Until Access Ends',
		'How many days from today access ends. 0 means that today is the last day.',
		count(0, 30, MAX_DAYS),
	],
	extendByDays: [
		'Days to Extend Access',
		'How many days later access ends, counted from today if it is over. Without an end, nothing changes.',
		count(1, 7, MAX_DAYS),
	],
	dynamic: [
		'Allow Changes Later',
		"Whether the rules can be changed later. Off is permanent: access can't be revoked then.",
		{ type: 'boolean', default: true },
	],
	downloadable: [
		'Downloadable',
		'Whether recipients can download the files',
		{ type: 'boolean', default: false },
	],
	recipients: [
		'Recipients: Replace All',
		'Email addresses that replace all current recipients',
		addresses,
	],
	addRecipients: ['Recipients: Add', 'Email addresses to add to the current recipients', addresses],
	removeRecipients: [
		'Recipients: Remove',
		'Email addresses to remove from the current recipients. To remove all, use Revoke Access.',
		addresses,
	],
	removeRules: [
		'Limits to Remove',
		'Rules that no longer limit who can open the container',
		{ type: 'multiOptions', default: [], options: removableRules },
	],
} satisfies Record<string, [label: string, description: string, kind: Kind]>;

export type RuleField = keyof typeof FIELDS;

export const RULE_LABELS = Object.fromEntries(
	Object.entries(FIELDS).map(([name, [label]]) => [name, label]),
) as Record<RuleField, string>;

function ruleField(name: RuleField): INodeProperties {
	const [displayName, description, kind]: [string, string, Kind] = FIELDS[name];
	return { displayName, name, ...kind, description };
}

export const dynamicField = ruleField('dynamic');
export const timeEndField = ruleField('timeEnd');
export const accessDaysField = ruleField('accessDays');

const shared = ['timeStart', 'geoAllow', 'geoBlock', 'ipAllow', 'ipBlock', 'opens'] as const;

export const encodeRuleFields: INodeProperties[] = [
	...shared.map(ruleField),
	simpleField(
		[PASSWORD_LABEL, 'password', ''],
		'Password to open the container. Nobody can read it again.',
		{ typeOptions: { password: true } },
	),
];

export const updateRuleFields = sortByDisplayName(
	(Object.keys(FIELDS) as RuleField[]).map(ruleField),
);

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

import type {
	ILoadOptionsFunctions,
	INodeProperties,
	INodePropertyOptions,
	NodeHint,
} from 'n8n-workflow';

import { simpleField, sortByDisplayName } from '../../shared/descriptions/options';
import type { Field } from '../../shared/descriptions/options';
import { MAX_DAYS } from '../../shared/parameters/dates';

export const NO_RECIPIENTS_NOTICE = 'Without recipients, only the owner can open the container.';

export const SEALED_NOTICE =
	"The rules will be sealed into the container permanently. Access can't be revoked then.";

export const PASSWORD_LABEL = 'Password';

type Kind = Omit<INodeProperties, 'displayName' | 'name' | 'description'>;

const day: Kind = {
	type: 'dateTime',
	typeOptions: { dateOnly: true },
	default: '',
	builderHint: { propertyHint: 'A day, such as 2027-01-31' },
};
const countries: Kind = {
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getCountries' },
	default: [],
	hint: 'In expressions, use codes such as CH',
};
const text = (placeholder: string): Kind => ({ type: 'string', default: '', placeholder });
const addresses = text('e.g. anna@example.com, *@example.org');
const networks = text('e.g. 203.0.113.7, 10.0.0.0/8, 192.168.*.1, 10.0.0.1-10.0.0.9');
const count = (preset: number, minValue: number, maxValue?: number): Kind => ({
	type: 'number',
	typeOptions: { minValue, maxValue, numberPrecision: 0 },
	default: preset,
});
const yesNo = (preset: boolean): Kind => ({ type: 'boolean', default: preset });

/** The rules that can be removed: the name of each, and the fields that set it. A container has one end. */
export const REMOVABLE_RULES: Record<string, [name: string, setBy: RuleField[]]> = {
	timeStart: ['Available From', ['timeStart']],
	timeEnd: ['Available Until', ['timeEnd', 'accessDays', 'extendByDays']],
	geo: ['Countries', ['geoAllow', 'geoBlock']],
	ip: ['IP Addresses', ['ipAllow', 'ipBlock']],
	opens: ['Max Opens', ['opens']],
};

const limits: Kind = {
	type: 'multiOptions',
	options: Object.entries(REMOVABLE_RULES).map(([value, [name]]) => ({ name, value })),
	default: [],
};

/** The rule fields: label, description and kind of each. */
const FIELDS = {
	timeStart: ['Available From', 'First day of access, in the time zone of the service', day],
	geoAllow: ['Countries Allowed', 'The only countries to open the container in', countries],
	geoBlock: ['Countries Blocked', "People can't open the container in these countries", countries],
	ipAllow: ['IP Addresses Allowed', 'The only addresses to open the container from', networks],
	ipBlock: ['IP Addresses Blocked', "People can't open it from these addresses", networks],
	opens: [
		'Max Opens',
		'How many times all recipients together can open the container',
		count(1, 1),
	],
	timeEnd: ['Available Until', 'Last day of access, in the time zone of the service', day],
	accessDays: [
		'Days Until Access Ends',
		'How many days from today access ends. 0 means that today is the last day.',
		count(30, 0, MAX_DAYS),
	],
	extendByDays: [
		'Days to Extend Access',
		'Counted from the current last day. An error if access is over, unless "Extend Even if Access Is Over" is on in the options. If there is no end, nothing changes.',
		count(7, 1, MAX_DAYS),
	],
	dynamic: [
		'Allow Changes Later',
		"Whether the rules can be changed later. Off is permanent: access can't be revoked then.",
		yesNo(true),
	],
	downloadable: ['Downloadable', 'Whether recipients can download the files', yesNo(false)],
	recipients: ['Recipients: Replace All', 'Addresses in place of all current ones', addresses],
	addRecipients: ['Recipients: Add', 'Addresses to add to the current recipients', addresses],
	removeRecipients: [
		'Recipients: Remove',
		'Addresses to remove from the current recipients. To remove all of them, use Revoke Access.',
		addresses,
	],
	removeRules: ['Limits to Remove', 'Rules that no longer limit who can open it', limits],
} satisfies Record<string, [label: string, description: string, kind: Kind]>;

export type RuleField = keyof typeof FIELDS;

export const RULE_LABELS = Object.fromEntries(
	Object.entries(FIELDS).map(([name, [label]]) => [name, label]),
) as Record<RuleField, string>;

export function toRuleField<T>(name: RuleField): Field<T> {
	const [displayName, description, kind]: [string, string, Kind] = FIELDS[name];
	return { displayName, name, ...kind, description };
}

export const dynamicField = toRuleField<boolean>('dynamic');
export const timeEndField = toRuleField('timeEnd');
export const accessDaysField = toRuleField('accessDays');

/** The rules that a new container can have, too. */
const shared = ['timeStart', 'geoAllow', 'geoBlock', 'ipAllow', 'ipBlock', 'opens'] as const;

export const encodeRuleFields = sortByDisplayName([
	...shared.map((name) => toRuleField(name)),
	simpleField(
		[PASSWORD_LABEL, 'password', ''],
		'Password to open the container. Nobody can read it again.',
		{ typeOptions: { password: true } },
	),
]);

export const updateRuleFields = sortByDisplayName(
	(Object.keys(FIELDS) as RuleField[]).map((name) => toRuleField(name)),
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

/** All 249 codes of ISO 3166-1 alpha-2, in the order of their names: to sort them costs more than to name them. */
export const COUNTRY_CODES =
	'AF AX AL DZ AS AD AO AI AQ AG AR AM AW AU AT AZ BS BH BD BB BY BE BZ BJ BM BT BO BA BW BV BR IO VG BN BG BF BI KH CM CA CV BQ KY CF TD CL CN CX CC CO KM CG CD CK CR CI HR CU CW CY CZ DK DJ DM DO EC EG SV GQ ER EE SZ ET FK FO FJ FI FR GF PF TF GA GM GE DE GH GI GR GL GD GP GU GT GG GN GW GY HT HM HN HK HU IS IN ID IR IQ IE IM IL IT JM JP JE JO KZ KE KI KW KG LA LV LB LS LR LY LI LT LU MO MG MW MY MV ML MT MH MQ MR MU YT MX FM MD MC MN ME MS MA MZ MM NA NR NP NL NC NZ NI NE NG NU NF KP MK MP NO OM PK PW PS PA PG PY PE PH PN PL PT PR QA RE RO RU RW BL SH KN LC MF PM VC WS SM ST SA SN RS SC SL SG SX SK SI SB SO ZA GS KR SS ES LK SD SR SJ SE CH SY TW TJ TZ TH TL TG TK TO TT TN TR TM TC TV UM VI UG UA AE GB US UY UZ VU VA VE VN WF EH YE ZM ZW'.split(
		' ',
	);

/** Made when a name is asked for: it takes a third of the loading time of the node. */
let regionNames: Intl.DisplayNames | undefined;

/** Countries that many people search for by a second name. */
const NAMES: Record<string, string> = {
	CI: "Côte d'Ivoire / Ivory Coast",
	CV: 'Cape Verde / Cabo Verde',
	CZ: 'Czechia / Czech Republic',
	TL: 'Timor-Leste / East Timor',
	TR: 'Türkiye / Turkey',
};

/**
 * Options of a country picker, by name: `Germany (DE)` for `DE` (docs/openapi.yaml, GeoRule). Loaded when a picker opens: in
 * the description of the node, AI builders would read them four times, and Intl would take a third of its loading time.
 */
export async function getCountries(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const options = COUNTRY_CODES.map((code) => ({
		name: `${getCountryName(code)} (${code})`,
		value: code,
	}));
	return await Promise.resolve(options);
}

/** The name of a country in English, with the second one where there is one: `Türkiye / Turkey`. */
export function getCountryName(code: string): string {
	regionNames ??= new Intl.DisplayNames(['en'], { type: 'region' });
	const name = NAMES[code] ?? regionNames.of(code) ?? code;
	return name.replace('&', 'and').replace(/^St\./, 'Saint');
}

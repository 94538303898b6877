import type { INodePropertyOptions } from 'n8n-workflow';

/** All 249 codes of ISO 3166-1 alpha-2. */
const CODES =
	'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

/** Names that differ from Unicode's; the second name is one that many people search for. */
const NAMES: Record<string, string> = {
	BQ: 'Caribbean Netherlands / Bonaire',
	CD: 'Congo, Democratic Republic of the',
	CG: 'Congo, Republic of the',
	CI: "Côte d'Ivoire / Ivory Coast",
	CV: 'Cape Verde / Cabo Verde',
	CZ: 'Czechia / Czech Republic',
	GS: 'South Georgia and the South Sandwich Islands',
	HK: 'Hong Kong',
	MM: 'Myanmar / Burma',
	MO: 'Macao / Macau',
	PS: 'Palestine',
	SH: 'Saint Helena, Ascension and Tristan da Cunha',
	SZ: 'Eswatini / Swaziland',
	TL: 'Timor-Leste / East Timor',
	TR: 'Türkiye / Turkey',
	UM: 'United States Minor Outlying Islands',
	VA: 'Vatican City / Holy See',
	VC: 'Saint Vincent and the Grenadines',
};

const unicode = new Intl.DisplayNames(['en'], { type: 'region' });

/** Options of a country picker, by name: `Germany (DE)` for `DE` (docs/openapi.yaml, GeoRule). */
export const countryOptions: INodePropertyOptions[] = CODES.split(' ')
	.map((code) => ({ name: `${getName(code)} (${code})`, value: code }))
	.sort((a, b) => a.name.localeCompare(b.name, 'en'));

function getName(code: string): string {
	return NAMES[code] ?? (unicode.of(code) ?? code).replace('&', 'and').replace(/^St\./, 'Saint');
}

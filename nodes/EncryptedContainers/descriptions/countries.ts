import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

/** All 249 codes of ISO 3166-1 alpha-2, in the order of their names: to sort them costs more than to name them. */
const CODES =
	'AF AX AL DZ AS AD AO AI AQ AG AR AM AW AU AT AZ BS BH BD BB BY BE BZ BJ BM BT BO BA BW BV BR IO VG BN BG BF BI KH CM CA CV BQ KY CF TD CL CN CX CC CO KM CG CD CK CR CI HR CU CW CY CZ DK DJ DM DO EC EG SV GQ ER EE SZ ET FK FO FJ FI FR GF PF TF GA GM GE DE GH GI GR GL GD GP GU GT GG GN GW GY HT HM HN HK HU IS IN ID IR IQ IE IM IL IT JM JP JE JO KZ KE KI KW KG LA LV LB LS LR LY LI LT LU MO MG MW MY MV ML MT MH MQ MR MU YT MX FM MD MC MN ME MS MA MZ MM NA NR NP NL NC NZ NI NE NG NU NF KP MK MP NO OM PK PW PS PA PG PY PE PH PN PL PT PR QA RE RO RU RW BL SH KN LC MF PM VC WS SM ST SA SN RS SC SL SG SX SK SI SB SO ZA GS KR SS ES LK SD SR SJ SE CH SY TW TJ TZ TH TL TG TK TO TT TN TR TM TC TV UM VI UG UA AE GB US UY UZ VU VA VE VN WF EH YE ZM ZW';

/** Countries that many people search for by a second name. */
const NAMES: Record<string, string> = {
	BQ: 'Caribbean Netherlands / Bonaire',
	CI: "Côte d'Ivoire / Ivory Coast",
	CV: 'Cape Verde / Cabo Verde',
	CZ: 'Czechia / Czech Republic',
	MM: 'Myanmar / Burma',
	TL: 'Timor-Leste / East Timor',
	TR: 'Türkiye / Turkey',
	VA: 'Vatican City / Holy See',
};

/**
 * Options of a country picker, by name: `Germany (DE)` for `DE` (docs/openapi.yaml, GeoRule). Loaded when a picker opens: in
 * the description of the node, AI builders would read them four times, and Intl would take a third of its loading time.
 */
export async function getCountries(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const unicode = new Intl.DisplayNames(['en'], { type: 'region' });
	const options = CODES.split(' ').map((code) => {
		const name = NAMES[code] ?? unicode.of(code) ?? code;
		const plain = name.replace('&', 'and').replace(/^St\./, 'Saint');
		return { name: `${plain} (${code})`, value: code };
	});
	return await Promise.resolve(options);
}

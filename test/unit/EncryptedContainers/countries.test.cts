import { countryOptions } from '../../../nodes/EncryptedContainers/descriptions/countries';

/** Where the picker shows another name than Unicode's English short name. */
const namedDifferently: Record<string, string> = {
	BQ: 'Caribbean Netherlands / Bonaire',
	CD: 'Congo, Democratic Republic of the',
	CG: 'Congo, Republic of the',
	GS: 'South Georgia and the South Sandwich Islands',
	HK: 'Hong Kong',
	MO: 'Macao / Macau',
	PS: 'Palestine',
	SH: 'Saint Helena, Ascension and Tristan da Cunha',
	UM: 'United States Minor Outlying Islands',
	VC: 'Saint Vincent and the Grenadines',
};

const unicode = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

/** Unicode's name as the picker writes it: no ampersand, no abbreviation, no second name. */
const nameOf = (code: string) =>
	namedDifferently[code] ??
	(unicode.of(code) ?? 'not a region')
		.replace(/&/g, 'and')
		.replace(/^St\./, 'Saint')
		.replace(/’/g, "'")
		.replace(/ \(Burma\)$/, '');

describe('the countries to pick', () => {
	const names = countryOptions.map(({ name }) => name);

	it('are the 249 entries of ISO 3166-1, once each, sorted by name', () => {
		expect(new Set(countryOptions.map(({ value }) => value)).size).toBe(249);
		expect(new Set(names).size).toBe(249);
		expect(names).toHaveLength(249);
		expect(names).toEqual([...names].sort(new Intl.Collator('en').compare));
	});

	it("are shown with Unicode's name, except the listed ones, and with their code", () => {
		for (const { name, value, ...more } of countryOptions) {
			const [, shown, code] = /^(\S.*\S) \(([A-Z]{2})\)$/.exec(name) ?? [];
			expect([code, more]).toEqual([value, {}]);
			expect([shown, ...shown.split(' / ')]).toContain(nameOf(code));
		}
	});

	it.each(['XK', 'EU', 'UK', 'AN', 'AC', 'IC', 'SU', 'ZZ'])('do not include %s', (code) => {
		expect(countryOptions.map(({ value }) => value)).not.toContain(code);
	});
});

import { countryOptions } from '../../../../nodes/EncryptedContainers/descriptions/countries';

const nameByCode = new Map(
	countryOptions.map(({ name, value }) => [String(value), name.replace(/ \([A-Z]{2}\)$/, '')]),
);

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

/** Unicode's spellings as the picker writes them: no ampersand, no abbreviation, no second name. */
const plainly = (name: string) =>
	name
		.replace(/&/g, 'and')
		.replace(/^St\./, 'Saint')
		.replace(/’/g, "'")
		.replace(/ \(Burma\)$/, '');

describe('country options', () => {
	it('contain each of the 249 entries of ISO 3166-1 once', () => {
		expect(countryOptions).toHaveLength(249);
		expect(nameByCode.size).toBe(249);
		expect(new Set(nameByCode.values()).size).toBe(249);
	});

	it('show each entry by name with its code, and nothing else', () => {
		for (const option of countryOptions) {
			expect(Object.keys(option)).toEqual(['name', 'value']);
			expect(option.value).toMatch(/^[A-Z]{2}$/);
			expect(option.name).toMatch(new RegExp(`^\\S.*\\S \\(${String(option.value)}\\)$`));
		}
	});

	it("use Unicode's name for each code, except the listed ones", () => {
		const unicode = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
		const mismatched = [...nameByCode].filter(([code, name]) => {
			const expected = namedDifferently[code] ?? plainly(unicode.of(code) ?? 'not a region');
			return name !== expected && !name.split(' / ').includes(expected);
		});
		expect(mismatched).toEqual([]);
	});

	it('are sorted by English name', () => {
		const names = countryOptions.map(({ name }) => name);
		expect(names).toEqual([...names].sort(new Intl.Collator('en').compare));
	});

	it.each([
		['DE', 'Germany'],
		['US', 'United States'],
		['GB', 'United Kingdom'],
		['AX', 'Åland Islands'],
		['CI', "Côte d'Ivoire / Ivory Coast"],
		['CW', 'Curaçao'],
		['TR', 'Türkiye / Turkey'],
		['TW', 'Taiwan'],
		['SS', 'South Sudan'],
		['BQ', 'Caribbean Netherlands / Bonaire'],
	])('include %s as %s', (code, name) => {
		expect(countryOptions).toContainEqual({ name: `${name} (${code})`, value: code });
	});

	it.each(['XK', 'EU', 'UK', 'AN', 'AC', 'IC', 'SU', 'ZZ'])(
		'do not include %s, which is not in the standard',
		(code) => {
			expect(nameByCode.has(code)).toBe(false);
		},
	);
});

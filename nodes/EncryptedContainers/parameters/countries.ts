import { UserError } from 'n8n-workflow';

import { parseList } from '../../shared/parameters/values';
import { isRecord } from '../../shared/responses/shapes';
import { COUNTRY_CODES, getCountryName } from '../descriptions/ruleFields';

/** Codes of countries (ISO 3166-1 alpha-2), in capitals. @throws UserError that says which code is meant */
export function parseCountries(value: unknown, label: string): string[] {
	const codes = parseList(value, label).map((entry) => entry.toUpperCase());
	const wrong = codes.find((code) => !COUNTRY_CODES.includes(code));
	if (wrong === undefined) return codes;
	const meant = findCountry(wrong);
	const advice =
		meant === undefined ? 'Enter codes such as DE' : `Enter ${meant} for ${getCountryName(meant)}`;
	throw new UserError(`"${wrong}" in "${label}" is not the code of a country`, {
		description: `${advice} in "${label}". Countries have two letters there (ISO 3166-1 alpha-2), separated by commas.`,
	});
}

/** The rule `geo` as JSON (docs/openapi.yaml, GeoRule), its codes in capitals. @throws UserError as `parseCountries` */
export function parseJsonCountries(rule: unknown, label: string): unknown {
	if (!isRecord(rule)) return rule;
	const lists = Object.entries(rule).map(([name, list]) => {
		const isList = Array.isArray(list);
		return [name, isList ? list.map((entry) => parsePlace(entry, label)) : list];
	});
	return Object.fromEntries(lists);
}

function parsePlace(entry: unknown, label: string): unknown {
	if (!isRecord(entry) || typeof entry.country !== 'string') return entry;
	parseCountries(entry.country, label);
	return { ...entry, country: entry.country.trim().toUpperCase() };
}

/** The country of another code such as UK, or of a name in English. */
function findCountry(entry: string): string | undefined {
	const { region = '' } = /^[A-Z]{2}$/.test(entry) ? new Intl.Locale(`und-${entry}`) : {};
	if (COUNTRY_CODES.includes(region)) return region;
	return COUNTRY_CODES.find((code) => {
		const names = getCountryName(code).toUpperCase().split(' / ');
		return names.includes(entry);
	});
}

import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../shared/api/drmRules';
import {
	getDateInDays,
	MAX_DAYS,
	parseDate,
	parseServiceDate,
} from '../../shared/parameters/dates';
import { parseAddresses, parseList } from '../../shared/parameters/lists';
import { parseBoolean, parseInteger } from '../../shared/parameters/scalars';
import { RULE_LABELS } from '../descriptions/drmRules';

type Parser<T> = (value: unknown, label: string) => T;

/**
 * Converts the rule fields that the user added to DRM rules (docs/openapi.yaml, DrmRules).
 *
 * @param fields the collection; a field that is not in it is not in the rules either
 * @param timeZone the workflow's time zone, for the days
 * @throws UserError for a value that the service can't understand, and for a list that was added but is empty
 */
export function parseDrmRules(fields: IDataObject, timeZone: string): DrmRules {
	// A rule whose expression returns nothing was added too: it must not be dropped silently.
	const parse = <T>(field: keyof typeof RULE_LABELS, parser: Parser<T>) =>
		Object.hasOwn(fields, field) ? parser(fields[field], RULE_LABELS[field]) : undefined;
	const toDay: Parser<string> = (value, label) => parseDate(value, label, timeZone);
	const toDayFromToday: Parser<string> = (value, label) =>
		getDateInDays(parseInteger(value, label, 0, MAX_DAYS), timeZone);
	const parseTime = () => {
		const time = omitUndefined({
			start: parse('timeStart', toDay),
			end: parse('timeEnd', toDay) ?? parse('accessDays', toDayFromToday),
		});
		if (time !== undefined) assertWindow(time);
		return time;
	};
	const rules = {
		dynamic: parse('dynamic', parseBoolean),
		geo: omitUndefined({
			allow: parse('geoAllow', parseCountries),
			block: parse('geoBlock', parseCountries),
		}),
		ip: omitUndefined({
			allow: parse('ipAllow', nonEmpty(parseList)),
			block: parse('ipBlock', nonEmpty(parseList)),
		}),
		opens: parse('opens', (value, label) => parseInteger(value, label, 0)),
		time: parseTime(),
		downloadable: parse('downloadable', parseBoolean),
		recipients: parse('recipients', nonEmpty(parseAddresses)),
	};
	return omitUndefined(rules) ?? {};
}

/** @throws UserError when an access window ends before it starts */
export function assertWindow({ start, end }: { start?: string; end?: string }): void {
	// The service might return a current day in another form, or as something that can't be compared.
	const [first, last] = [parseServiceDate(start), parseServiceDate(end)];
	if (first === undefined || last === undefined || last >= first) return;
	throw new UserError(
		`"${RULE_LABELS.timeEnd}" (${end}) is before "${RULE_LABELS.timeStart}" (${start})`,
		{ description: `Pick a day on or after ${start} in "${RULE_LABELS.timeEnd}".` },
	);
}

/** @throws UserError for an empty list: it might open the container to everyone or to nobody */
export function assertNotEmpty(list: unknown[], label: string): void {
	if (list.length > 0) return;
	throw new UserError(`"${label}" is empty`, {
		description: `Enter at least one entry in "${label}", or remove this rule. If it comes from an expression, check that the field exists in the input item.`,
	});
}

function nonEmpty<T>(parser: Parser<T[]>): Parser<T[]> {
	return (value, label) => {
		const list = parser(value, label);
		assertNotEmpty(list, label);
		return list;
	};
}

function parseCountries(value: unknown, label: string): Array<{ country: string }> {
	return nonEmpty(parseList)(value, label).map((country) => ({ country }));
}

/** A copy without undefined values; undefined if nothing remains. */
function omitUndefined<T extends object>(values: T): Partial<T> | undefined {
	const entries = Object.entries(values).filter(([, value]) => value !== undefined);
	return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Partial<T>);
}

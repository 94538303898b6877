import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../shared/api/drmRules';
import { parseDate } from '../../shared/parameters/dates';
import { parseAddresses, parseList } from '../../shared/parameters/lists';
import { parseBoolean, parseInteger } from '../../shared/parameters/scalars';
import { RULE_LABELS } from '../descriptions/drmRules';

/**
 * Turns the rule fields that the user added into DRM rules (service-api.md, DRM rules).
 *
 * @param fields the collection as n8n gives it; a field that is not in it is not in the rules either
 * @param timeZone the workflow's time zone, for the days
 * @returns the rules in the service's form
 * @throws UserError for a value that the service could not understand, and for a list that was added but is empty
 */
export function parseDrmRules(fields: IDataObject, timeZone: string): DrmRules {
	const rules: DrmRules = {};
	if (has(fields, 'dynamic')) rules.dynamic = parseBoolean(fields.dynamic, RULE_LABELS.dynamic);
	const geo = {
		...parseListRule(fields, 'geoAllow', 'allow', toCountries),
		...parseListRule(fields, 'geoBlock', 'block', toCountries),
	};
	if (Object.keys(geo).length > 0) rules.geo = geo;
	const ip = {
		...parseListRule(fields, 'ipAllow', 'allow', parseList),
		...parseListRule(fields, 'ipBlock', 'block', parseList),
	};
	if (Object.keys(ip).length > 0) rules.ip = ip;
	if (has(fields, 'opens')) rules.opens = parseInteger(fields.opens, RULE_LABELS.opens, 0);
	const time = parseWindow(fields, timeZone);
	if (Object.keys(time).length > 0) rules.time = time;
	if (has(fields, 'downloadable')) {
		rules.downloadable = parseBoolean(fields.downloadable, RULE_LABELS.downloadable);
	}
	Object.assign(rules, parseListRule(fields, 'recipients', 'recipients', parseAddresses));
	return rules;
}

/**
 * Checks that an access window does not end before it starts.
 *
 * @param time the window; either day may be missing
 * @throws UserError when it does
 */
export function assertWindow({ start, end }: { start?: string; end?: string }): void {
	if (typeof start !== 'string' || typeof end !== 'string') return;
	// A present day may be reported with a time of day, which does not count.
	if (end.slice(0, 10) >= start.slice(0, 10)) return;
	throw new UserError(
		`"${RULE_LABELS.timeEnd}" (${end}) is before "${RULE_LABELS.timeStart}" (${start})`,
		{ description: `Pick a day on or after ${start} in "${RULE_LABELS.timeEnd}".` },
	);
}

function parseWindow(fields: IDataObject, timeZone: string): { start?: string; end?: string } {
	const time: { start?: string; end?: string } = {};
	if (has(fields, 'timeStart'))
		time.start = parseDate(fields.timeStart, RULE_LABELS.timeStart, timeZone);
	if (has(fields, 'timeEnd')) time.end = parseDate(fields.timeEnd, RULE_LABELS.timeEnd, timeZone);
	assertWindow(time);
	return time;
}

/** A list that was added and is empty would open the container to everyone, or to nobody: that is never guessed. */
function parseListRule<T>(
	fields: IDataObject,
	field: keyof typeof RULE_LABELS,
	key: string,
	read: (value: unknown, label: string) => T[],
): Record<string, T[]> {
	if (!has(fields, field)) return {};
	const label = RULE_LABELS[field];
	const list = read(fields[field], label);
	if (list.length > 0) return { [key]: list };
	throw new UserError(`"${label}" is empty`, {
		description: `Enter at least one entry in "${label}", or remove this rule. If it comes from an expression, check that the field exists in the input item.`,
	});
}

function toCountries(value: unknown, label: string): Array<{ country: string }> {
	return parseList(value, label).map((country) => ({ country }));
}

/** A rule whose expression gives nothing was added all the same: it must not go missing without a word. */
function has(fields: IDataObject, field: string): boolean {
	return Object.hasOwn(fields, field);
}

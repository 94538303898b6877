import type { JsonObject } from './checks.cts';
import {
	requireBoolean,
	requireKeys,
	requireObject,
	requireRecipients,
	requireText,
	requireTexts,
} from './checks.cts';
import { invalid } from '../service/errors.cts';
import type { Rules } from '../service/store.cts';

const RULE_KEYS = ['dynamic', 'geo', 'ip', 'opens', 'time', 'downloadable', 'recipients'] as const;
const GEO_RULE_KEYS = ['country', 'continent', 'subdivision', 'city'];
const LISTS = ['allow', 'block'];
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Checks access rules against service-api.md ("DRM rules"): the seven keys, their types and forms.
 *
 * @param times `date`: days as YYYY-MM-DD; `timestamp`: full timestamps are taken too
 * @throws ServiceError 400 naming the key that is wrong
 */
export function checkRules(value: unknown, what: string, times: 'date' | 'timestamp'): Rules {
	const rules = requireObject(value, what);
	requireKeys(rules, RULE_KEYS, what);
	if (rules.dynamic !== undefined) requireBoolean(rules.dynamic, `${what}.dynamic`);
	if (rules.downloadable !== undefined) requireBoolean(rules.downloadable, `${what}.downloadable`);
	if (rules.opens !== undefined) checkOpens(rules.opens, `${what}.opens`);
	if (rules.recipients !== undefined) requireRecipients(rules.recipients, `${what}.recipients`);
	if (rules.geo !== undefined) checkGeo(rules.geo, `${what}.geo`);
	if (rules.ip !== undefined) checkIp(rules.ip, `${what}.ip`);
	if (rules.time !== undefined) checkTime(rules.time, `${what}.time`, times);
	return rules;
}

function checkOpens(value: unknown, what: string): void {
	if (!Number.isInteger(value) || (value as number) < 0) {
		throw invalid(`${what} must be a whole number, 0 or more`);
	}
}

function checkGeo(value: unknown, what: string): void {
	eachList(value, what, (rule, place) => {
		const object = requireObject(rule, place);
		requireKeys(object, GEO_RULE_KEYS, place);
		requireText(object.country, `${place}.country`);
		for (const key of Object.keys(object)) requireText(object[key], `${place}.${key}`);
	});
}

function checkIp(value: unknown, what: string): void {
	const ip = requireObject(value, what);
	requireKeys(ip, LISTS, what);
	for (const list of Object.keys(ip)) requireTexts(ip[list], `${what}.${list}`);
}

function eachList(
	value: unknown,
	what: string,
	check: (entry: unknown, place: string) => void,
): void {
	const object: JsonObject = requireObject(value, what);
	requireKeys(object, LISTS, what);
	for (const list of Object.keys(object)) {
		const entries = object[list];
		if (!Array.isArray(entries)) throw invalid(`${what}.${list} must be a list`);
		entries.forEach((entry, index) => check(entry, `${what}.${list}[${index}]`));
	}
}

function checkTime(value: unknown, what: string, times: 'date' | 'timestamp'): void {
	const time = requireObject(value, what);
	requireKeys(time, ['start', 'end'], what);
	const [start, end] = ['start', 'end'].map((edge) =>
		time[edge] === undefined ? undefined : dayOf(time[edge], `${what}.${edge}`, times),
	);
	if (start !== undefined && end !== undefined && end < start) {
		throw invalid(`${what}.end is before ${what}.start`);
	}
}

/** @returns the day as YYYY-MM-DD, which sorts as text */
function dayOf(value: unknown, what: string, times: 'date' | 'timestamp'): string {
	const text = requireText(value, what);
	const day = (times === 'timestamp' ? TIMESTAMP.exec(text)?.[1] : undefined) ?? text;
	if (!isDay(day)) throw invalid(`${what} must be a date in the form YYYY-MM-DD`);
	return day;
}

function isDay(text: string): boolean {
	if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
	const date = new Date(`${text}T00:00:00Z`);
	return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

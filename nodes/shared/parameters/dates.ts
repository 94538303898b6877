import { UserError } from 'n8n-workflow';

import { describeValue, toMoment } from './values';

const DAY_IN_MILLISECONDS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const LOCAL_TIME = /^(\d{4}-\d{2}-\d{2})[T ]([01]\d|2[0-4]):[0-5]\d(:[0-5]\d([.,]\d+)?)?$/;
const ZONED_TIME =
	/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?\s?(Z|[+-]\d{2}(:?\d{2})?)(\[[^[\]]+\])?$/i;
/** Distinguish seconds from milliseconds: no end of access is before 1973 or after 9999. */
const FIRST_MILLISECOND = 1e12;
const FIRST_SECOND = 1e8;
/** What programs write for "no date": nothing, zero, or the first day of their calendar. */
const NO_DATE = /^\s*(0.*|1[89]\d\d-.*)?$/s;
/** Programs write the first day of their calendar for "no date": 0000, 0001, 1900, 1970. */
const FIRST_YEAR = 1971;
/** A hundred years: what is longer is a mistake, and the service might not take the date. */
export const MAX_DAYS = 36_500;
const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * Parses the day that the user picked. A day, or a time without a zone, stays unchanged; a moment (a time with a zone, a
 * DateTime, a Date) is converted to its day in the time zone of the workflow.
 *
 * @returns the day as `YYYY-MM-DD` (docs/openapi.yaml, AccessWindow)
 * @throws UserError when it is not a date, or one that does not exist
 */
export function parseDate(value: unknown, label: string, timeZone: string): string {
	const day = tryParseDate(value, timeZone);
	if (day !== undefined) return day;
	const text = typeof value === 'string' ? value.trim() : undefined;
	if (text !== undefined && /\d/.test(text) && !/^\d{4}-\d{2}-\d{2}/.test(text)) {
		throw new UserError(`"${label}" is not written as YYYY-MM-DD`, {
			description: `${describeValue(value)} Use 2026-12-31, or DateTime.fromFormat('31.12.2026', 'dd.MM.yyyy') in an expression, in "${label}".`,
		});
	}
	const description = `${describeValue(value)} Pick a day in "${label}", or use an expression that returns a date, such as 2026-12-31 or {{ $now.plus({ days: 30 }) }}.`;
	if (value === undefined || value === null || text === '') {
		throw new UserError(`"${label}" is empty`, { description });
	}
	throw new UserError(`"${label}" is not a date`, { description });
}

/** As parseDate, but undefined when the value is not a date. */
function tryParseDate(value: unknown, timeZone: string): string | undefined {
	if (typeof value !== 'string') {
		const moment = toMoment(value);
		return moment === undefined ? undefined : toCalendarDay(moment, timeZone);
	}
	const text = value.trim();
	const day = LOCAL_TIME.exec(text)?.[1] ?? text;
	if (DAY.test(day) && isInCalendar(day)) return day;
	if (!ZONED_TIME.test(text) || !isInCalendar(text.slice(0, 10))) return undefined;
	const moment = new Date(toParseable(text));
	return Number.isNaN(moment.getTime()) ? undefined : toCalendarDay(moment, timeZone);
}

/**
 * Parses a date that the service returned: the calendar day as the service shows it, without its time or time zone.
 *
 * Besides the documented form (docs/openapi.yaml, DrmRules) these are unambiguous: a timestamp, and a number of seconds
 * or milliseconds (the day in UTC).
 *
 * @param timeZone where given, a moment (a timestamp with an offset, a number) is the day on which it falls there
 * @returns the day as `YYYY-MM-DD`, or undefined for anything else, such as "", `0001-01-01` or `12/31/2099`
 */
export function parseServiceDate(value: unknown, timeZone?: string): string | undefined {
	const isText = typeof value === 'string';
	const dayThere = isText ? tryParseDate(value, timeZone ?? 'UTC') : undefined;
	const shown = isText && timeZone === undefined ? value.trim().slice(0, 10) : dayThere;
	const day = dayThere === undefined ? toDayOfNumber(value, timeZone) : shown;
	return day !== undefined && Number(day.slice(0, 4)) >= FIRST_YEAR ? day : undefined;
}

/** Whether the service shows that there is no date. Anything else that is not a date either can't be understood. */
export function isNoDate(value: unknown): boolean {
	if (value === undefined || value === null) return true;
	return typeof value !== 'object' && NO_DATE.test(String(value));
}

/** Whether a date of the service is this day, or a moment that falls on it in some time zone. */
export function isDayAnywhere(value: unknown, day: string): boolean {
	const zones = ['Etc/GMT+12', 'Etc/GMT-14'];
	const [first = '', last = ''] = zones.map((zone) => parseServiceDate(value, zone));
	return first <= day && last >= day;
}

function toDayOfNumber(value: unknown, timeZone = 'UTC'): string | undefined {
	const isNumber = /^\s*\d+(\.\d+)?\s*$/.test(String(value));
	const number = isNumber ? Number(value) : 0;
	if (number < FIRST_SECOND) return undefined;
	const moment = new Date(number < FIRST_MILLISECOND ? number * 1000 : number);
	const day = Number.isNaN(moment.getTime()) ? '' : toCalendarDay(moment, timeZone);
	return DAY.test(day) ? day : undefined;
}

/** The last day, as `YYYY-MM-DD`, that is over everywhere on Earth: days end last at UTC-12. */
export function getLastDayOverEverywhere(now: Date): string {
	return new Date(now.getTime() - 1.5 * DAY_IN_MILLISECONDS).toISOString().slice(0, 10);
}

/** Whole days between two days as `YYYY-MM-DD`; negative when `to` is earlier. */
export function daysBetween(from: string, to: string): number {
	return (Date.parse(to) - Date.parse(from)) / DAY_IN_MILLISECONDS;
}

/** The day that is a number of days after a day, both as `YYYY-MM-DD`. */
export function addDays(day: string, days: number): string {
	return new Date(Date.parse(day) + days * DAY_IN_MILLISECONDS).toISOString().slice(0, 10);
}

/** The day, as `YYYY-MM-DD`, that is a number of days after today in an IANA time zone; 0 is today. */
export function getDateInDays(days: number, timeZone: string): string {
	return addDays(toCalendarDay(new Date(), timeZone), days);
}

/** The day of a moment in an IANA time zone, as `YYYY-MM-DD`. */
export function toCalendarDay(moment: Date, timeZone: string): string {
	const parts = getFormatter(timeZone).formatToParts(moment);
	const { year, month, day } = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
	return `${year.padStart(4, '0')}-${month}-${day}`;
}

/** Made once for each time zone: it takes longer than thousands of dates. */
function getFormatter(timeZone: string): Intl.DateTimeFormat {
	const known = formatters.get(timeZone);
	if (known !== undefined) return known;
	const formatter = new Intl.DateTimeFormat('en', {
		timeZone,
		calendar: 'iso8601',
		numberingSystem: 'latn',
		year: 'numeric',
		month: '2-digit',
		day: '2-digit',
	});
	formatters.set(timeZone, formatter);
	return formatter;
}

function isInCalendar(day: string): boolean {
	const [year, month, date] = day.split('-').map(Number);
	return new Date(Date.UTC(year, month - 1, date)).toISOString().slice(0, 10) === day;
}

/** Converts the forms of ISO 8601 that JavaScript does not parse: a space for the T, +01, the name of a zone. */
function toParseable(text: string): string {
	return text
		.replace(/\[[^[\]]+\]/, '')
		.replace(' ', 'T')
		.replace(/\s/, '')
		.replace(',', '.')
		.replace(/(T[^T+-]*[+-]\d{2})$/, '$1:00');
}

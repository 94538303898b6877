import { tryToParseDateTime, UserError } from 'n8n-workflow';

import { describeValue, toMoment } from './values';

const DAY_IN_MILLISECONDS = 86_400_000;
const WITHOUT_ZONE = /^(\d{4}-\d{2}-\d{2})([T ][\d:.,]+)?/;
const EDGE_OF_DAY = /[T ](00:00(:00)?|23:59(:59)?)([.,]\d+)?\s?(Z|\+00(:?00)?)$/;
/** A hundred years: what is longer is a mistake, and the service might not take the date. */
export const MAX_DAYS = 36_500;

/**
 * The day that the user picked, as `YYYY-MM-DD` (docs/openapi.yaml, AccessWindow): the one that is written, or that of a
 * moment (a time with a zone, a DateTime, a Date) in the workflow's time zone. A moment at the edge of a day in UTC is that
 * day everywhere: so spreadsheets and databases write a day.
 *
 * @throws UserError when it is not a date, or one that does not exist
 */
export function parseDate(value: unknown, label: string, timeZone: string): string {
	const day = tryParseDate(value, timeZone);
	if (day !== undefined) return day;
	const problem = String(value ?? '').trim() === '' ? 'empty' : 'not a date';
	throw new UserError(`"${label}" is ${problem}`, {
		description: `${describeValue(value)} Pick a day in "${label}", or use an expression that returns a date as YYYY-MM-DD, such as 2026-12-31, {{ $now.plus({ days: 30 }) }} or {{ DateTime.fromFormat('31.12.2026', 'dd.MM.yyyy') }}.`,
	});
}

/** The day of a date of the service: the one that is written, or that of a moment in a time zone. */
export function parseServiceDate(value: unknown, timeZone?: string): string | undefined {
	const day = tryParseDate(value, timeZone);
	// Services write a day such as 0000-00-00 or 1970-01-01 for none.
	return day !== undefined && day >= '2000' ? day : undefined;
}

function tryParseDate(value: unknown, timeZone?: string): string | undefined {
	const text = typeof value === 'string' ? value.trim() : (toMoment(value)?.toISOString() ?? '');
	const [withoutZone, day] = WITHOUT_ZONE.exec(text) ?? [];
	const isDay = withoutZone === text || EDGE_OF_DAY.test(text);
	try {
		const date = tryToParseDateTime(text, 'UTC');
		// February 30 would be a day in March.
		if (date.toISODate() !== day) return undefined;
		if (timeZone === undefined || isDay) return day;
		return toCalendarDay(date.toJSDate(), timeZone);
	} catch {
		return undefined;
	}
}

/** The last day that is over everywhere on Earth: days end last at UTC-12. */
export function getLastDayOverEverywhere(): string {
	return getDateInDays(-1, 'Etc/GMT+12');
}

export function daysBetween(from: string, to: string): number {
	return (Date.parse(to) - Date.parse(from)) / DAY_IN_MILLISECONDS;
}

export function addDays(day: string, days: number): string {
	return new Date(Date.parse(day) + days * DAY_IN_MILLISECONDS).toISOString().slice(0, 10);
}

export function getDateInDays(days: number, timeZone: string): string {
	return addDays(toCalendarDay(new Date(), timeZone), days);
}

export function toCalendarDay(moment: Date, timeZone: string): string {
	return String(tryToParseDateTime(moment.toISOString()).setZone(timeZone).toISODate());
}

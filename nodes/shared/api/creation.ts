import type { IDataObject } from 'n8n-workflow';

import { parseServiceDate } from '../parameters/dates';
import { isRecord, normalizeKey } from '../responses/shapes';

/** Names under which services return when a record was created, as `normalizeKey` returns them; `date` can be any day. */
const CREATION_KEY = /^(date)?(created?|creation)(at|on|date|time|timestamp)?$/;

/** Numbers from here on are seconds, and from there on milliseconds; smaller ones are days such as 20261231. */
const FIRST_SECOND = 1e8;
const FIRST_MILLISECOND = 1e12;

/** When a record was created: the day as the service shows it or in a time zone, and milliseconds since 1970 to sort by. */
export interface Creation {
	day: string;
	time: number;
}

/**
 * Finds when a container or contact was created, plain or in an envelope; undefined where the service doesn't show it.
 *
 * @param timeZone as in parseServiceDate
 */
export function findCreation(record: IDataObject, timeZone?: string): Creation | undefined {
	const places = [record.container, record.contact, record].filter(isRecord);
	const values = places.flatMap((place) =>
		Object.entries(place)
			.filter(([key]) => CREATION_KEY.test(normalizeKey(key)))
			.map(([, value]) => value),
	);
	for (const value of values) {
		const day = parseServiceDate(value, timeZone);
		if (day !== undefined) return { day, time: toTime(value) ?? Date.parse(day) };
	}
	return undefined;
}

/** Sorts the newest to the front; those without a date keep their order behind the others. */
export function sortNewestFirst<T>(entries: T[], getRecord: (entry: T) => IDataObject): T[] {
	return entries
		.map((entry) => ({
			entry,
			time: findCreation(getRecord(entry))?.time ?? Number.MIN_SAFE_INTEGER,
		}))
		.sort((a, b) => b.time - a.time)
		.map(({ entry }) => entry);
}

function toTime(value: unknown): number | undefined {
	const isNumber = /^\d+(\.\d+)?$/.test(String(value));
	const number = isNumber ? Number(value) : Date.parse(String(value));
	if (Number.isNaN(number)) return undefined;
	if (!isNumber || number >= FIRST_MILLISECOND) return number;
	return number >= FIRST_SECOND ? number * 1000 : undefined;
}

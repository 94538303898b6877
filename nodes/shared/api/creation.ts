import type { IDataObject } from 'n8n-workflow';

import { toCalendarDay } from '../parameters/dates';
import { isRecord } from '../responses/shapes';

/** The day, and milliseconds since 1970; undefined where a record doesn't show when it was created. */
export function findCreation(record: IDataObject, timeZone = 'UTC') {
	const places = [record.container, record.contact, record].filter(isRecord);
	const created = places.map(({ created_date }) => created_date).find(Boolean);
	const time = typeof created === 'string' ? Date.parse(created) : Number.NaN;
	if (Number.isNaN(time)) return undefined;
	return { day: toCalendarDay(new Date(time), timeZone), time };
}

/** Sorts the newest to the front; those without a date keep their order behind the others. */
export function sortNewestFirst<T>(entries: T[], getRecord: (entry: T) => IDataObject): T[] {
	const getTime = (entry: T) => findCreation(getRecord(entry))?.time ?? Number.MIN_SAFE_INTEGER;
	const timed = entries.map((entry) => ({ entry, time: getTime(entry) }));
	return timed.sort((a, b) => b.time - a.time).map(({ entry }) => entry);
}

import type { IDataObject } from 'n8n-workflow';

import { parseServiceDate, toTime } from '../parameters/dates';
import { isRecord, normalizeKey } from '../responses/shapes';

/** Names under which services return when a record was created, as `normalizeKey` returns them; `date` can be any day. */
const CREATION_KEY = /^(date)?(created?|creation)(at|on|date|time|timestamp)?$/;

/** The day, and milliseconds since 1970. */
export function findCreation(record: IDataObject, timeZone?: string) {
	const places = [record.container, record.contact, record].filter(isRecord);
	return places
		.flatMap((place) => Object.entries(place))
		.filter(([key]) => CREATION_KEY.test(normalizeKey(key)))
		.map(([, value]) => ({ day: parseServiceDate(value, timeZone), time: toTime(value) }))
		.find(({ day }) => day !== undefined);
}

/** Sorts the newest to the front; those without a date keep their order behind the others. */
export function sortNewestFirst<T>(entries: T[], getRecord: (entry: T) => IDataObject): T[] {
	const getTime = (entry: T) => findCreation(getRecord(entry))?.time ?? Number.MIN_SAFE_INTEGER;
	const timed = entries.map((entry) => ({ entry, time: getTime(entry) }));
	return timed.sort((a, b) => b.time - a.time).map(({ entry }) => entry);
}

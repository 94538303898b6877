import type { IDataObject } from 'n8n-workflow';

import { parseServiceDate, toTime } from '../parameters/dates';
import { isRecord, normalizeKey } from '../responses/shapes';

/** Names under which services return when a record was created, as `normalizeKey` returns them; `date` can be any day. */
const CREATION_KEY = /^(date)?(created?|creation)(at|on|date|time|timestamp)?$/;

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
	for (const place of [record.container, record.contact, record].filter(isRecord)) {
		for (const [key, value] of Object.entries(place)) {
			if (!CREATION_KEY.test(normalizeKey(key))) continue;
			const day = parseServiceDate(value, timeZone);
			if (day !== undefined) return { day, time: toTime(value) };
		}
	}
	return undefined;
}

/** Sorts the newest to the front; those without a date keep their order behind the others. */
export function sortNewestFirst<T>(entries: T[], getRecord: (entry: T) => IDataObject): T[] {
	const getTime = (entry: T) => findCreation(getRecord(entry))?.time ?? Number.MIN_SAFE_INTEGER;
	const timed = entries.map((entry) => ({ entry, time: getTime(entry) }));
	return timed.sort((a, b) => b.time - a.time).map(({ entry }) => entry);
}

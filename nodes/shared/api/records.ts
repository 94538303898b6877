import type { IDataObject } from 'n8n-workflow';

import type { Expectation } from '../client/accept';
import { RECORD_NAMES, type RecordKind } from '../errors/failure';
import { createMatcher, toAddressKey } from '../parameters/addresses';
import { isUuid } from '../parameters/ids';
import { isRecord } from '../responses/shapes';

const ID_NAMES: Record<RecordKind, string[]> = {
	container: ['uuid', 'id'],
	contact: ['email'],
	request: ['uuid', 'id'],
};
const ANY = {
	container: 'a container with a uuid',
	contact: 'a contact with an email',
	request: 'a file request with a uuid',
};

/** What a response, or an entry of a list, shows of a record. `fields`: the innermost place that has its identifier. */
export function readRecord(
	kind: RecordKind,
	response: IDataObject,
): { id?: string; name?: string; fields: IDataObject } {
	const places = listPlaces(kind, response);
	const fields = places.find((place) => getId(kind, place) !== undefined) ?? response;
	// It can stand beside the place of the identifier.
	const names = places.map(
		({ name, container_name: otherName }) => toText(name) ?? toText(otherName),
	);
	return { id: getId(kind, fields), name: names.find(Boolean), fields };
}

/** Where a record can be in a response, the innermost place first. */
export function listPlaces(kind: RecordKind, response: IDataObject): IDataObject[] {
	const { [kind]: held, data } = response;
	const inData = isRecord(data) ? data[kind] : undefined;
	return [held, inData, data, response].filter(isRecord);
}

/** Any record of its kind, or the one that is asked for and no other, such as a cache can return. */
export function expectRecord(kind: RecordKind, asked?: string): Expectation {
	const isIn = (response: IDataObject) => {
		const { id, fields } = readRecord(kind, response);
		if (asked === undefined) return id !== undefined;
		const shown = ID_NAMES[kind].map((idName) => toText(fields[idName]) ?? '');
		return shown.some((one) => toAddressKey(one) === toAddressKey(asked));
	};
	return { what: asked === undefined ? ANY[kind] : `the ${RECORD_NAMES[kind]} "${asked}"`, isIn };
}

/** What a container is known by: a UUID is the same in capitals, another identifier might not be. */
export function toContainerKey(id: string): string {
	return isUuid(id) ? id.toLowerCase() : id;
}

/** With these fields at the top, in place of any with their names. */
export function withFirst<T extends IDataObject>(first: T, record: IDataObject): IDataObject & T {
	return { ...first, ...record, ...first };
}

/** When a record was created; undefined where it doesn't show that. */
export function findCreation(record: IDataObject): Date | undefined {
	const places = [record.container, record.contact, record].filter(isRecord);
	const created = places.map(({ created_date }) => created_date).find(Boolean);
	const date = new Date(typeof created === 'string' ? created : Number.NaN);
	return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Those without a date keep their order behind the others. */
export function sortNewestFirst<T extends { record: IDataObject }>(entries: T[]): T[] {
	const toTime = ({ record }: T) => findCreation(record)?.getTime() ?? Number.MIN_SAFE_INTEGER;
	const timed = entries.map((entry) => ({ entry, time: toTime(entry) }));
	return timed.sort((a, b) => b.time - a.time).map(({ entry }) => entry);
}

/** Whether a name contains a text, in capitals or not: anywhere, also where the text has the wildcards of createMatcher. */
export function matchesName(name: string | undefined, part: string): boolean {
	return createMatcher(`*${fold(part.trim())}*`)(fold(name ?? ''));
}

/** Without capitals, and with accents in one form: file names from macOS have another. */
export function fold(text: string): string {
	return text.toLowerCase().normalize('NFC');
}

function getId(kind: RecordKind, place: IDataObject): string | undefined {
	const [first, second] = ID_NAMES[kind];
	return toText(place[first]) ?? toText(place[second]);
}

/** JavaScript rounds larger numbers than the safe ones, so they identify nothing. */
function toText(value: unknown): string | undefined {
	const isText = typeof value === 'string' && value !== '';
	return isText || Number.isSafeInteger(value) ? String(value) : undefined;
}

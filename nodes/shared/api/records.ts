import type { IDataObject } from 'n8n-workflow';

import type { Expectation } from '../client/accept';
import { createMatcher, toAddressKey } from '../parameters/addresses';
import { toCalendarDay } from '../parameters/dates';
import { isRecord } from '../responses/shapes';

/** Of a longer name only so many characters count. */
const MAX_NAME = 10_000;

export const CONTAINER: Expectation = {
	what: 'a container with a uuid',
	isIn: (response) => getContainerIdentity(response).id !== undefined,
};

export const CONTACT: Expectation = {
	what: 'a contact with an email',
	isIn: (response) => getContactEmail(response) !== undefined,
};

/** The record, at the top of a response or in what holds it. */
export function unwrapContainer(response: IDataObject): IDataObject {
	return unwrap(response, 'container', ['uuid', 'id']);
}

/** As unwrapContainer. */
export function unwrapContact(response: IDataObject): IDataObject {
	return unwrap(response, 'contact', ['email']);
}

export function getContainerIdentity(response: IDataObject): { id?: string; name?: string } {
	const { uuid, id } = unwrapContainer(response);
	// It can stand beside the place of the identifier.
	const names = listPlaces(response, 'container').map(
		({ name, container_name: otherName }) => toText(name) ?? toText(otherName),
	);
	return { id: toText(uuid) ?? toText(id), name: names.find(Boolean) };
}

export function getContactEmail(response: IDataObject): string | undefined {
	return toText(unwrapContact(response).email);
}

/** What a container is known by: a UUID is the same in capitals, another identifier might not be. */
export function toContainerKey(id: string): string {
	return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id.toLowerCase() : id;
}

/** With the ID at the top, in place of any `containerId` of its own. */
export function withContainerId(containerId: string, record: IDataObject): IDataObject {
	return Object.assign({ containerId }, record, { containerId });
}

/** The container or contact that is asked for, and no other one, such as a cache can return; undefined for neither. */
export function expectRecord(asked: {
	containerId: string;
	contactEmail: string;
}): Expectation | undefined {
	const { containerId, contactEmail } = asked;
	const key = toAddressKey(containerId || contactEmail);
	if (key === '') return undefined;
	const what = containerId ? `the container "${containerId}"` : `the contact "${contactEmail}"`;
	const isIn = (response: IDataObject) => {
		const { uuid, id } = unwrapContainer(response);
		const shown = containerId ? [uuid, id] : [getContactEmail(response)];
		return shown.some((one) => toAddressKey(toText(one) ?? '') === key);
	};
	return { what, isIn };
}

/** The day when a record was created, and milliseconds since 1970; undefined where it doesn't show that. */
export function findCreation(record: IDataObject, timeZone = 'UTC') {
	const places = [record.container, record.contact, record].filter(isRecord);
	const created = places.map(({ created_date }) => created_date).find(Boolean);
	const time = typeof created === 'string' ? Date.parse(created) : Number.NaN;
	if (Number.isNaN(time)) return undefined;
	return { day: toCalendarDay(new Date(time), timeZone), time };
}

/** Sorts the newest to the front; those without a date keep their order behind the others. */
export function sortNewestFirst<T extends { record: IDataObject }>(entries: T[]): T[] {
	const toTime = ({ record }: T) => findCreation(record)?.time ?? Number.MIN_SAFE_INTEGER;
	const timed = entries.map((entry) => ({ entry, time: toTime(entry) }));
	return timed.sort((a, b) => b.time - a.time).map(({ entry }) => entry);
}

/** Whether a name contains a text, in capitals or not: anywhere, also where the text has the wildcards of createMatcher. */
export function matchesName(name: string | undefined, part: string): boolean {
	const fold = (text: string) => text.toLowerCase().normalize('NFC');
	return createMatcher(`*${fold(part.trim())}*`)(fold((name ?? '').slice(0, MAX_NAME)));
}

/** The innermost place that has an identifier. */
function unwrap(response: IDataObject, holder: string, idNames: string[]): IDataObject {
	const hasId = (place: IDataObject) => idNames.some((name) => toText(place[name]) !== undefined);
	return listPlaces(response, holder).find(hasId) ?? response;
}

/** Where a record can be, the innermost place first. */
function listPlaces(response: IDataObject, holder: string): IDataObject[] {
	const { [holder]: held, data } = response;
	const inData = isRecord(data) ? data[holder] : undefined;
	return [held, inData, data, response].filter(isRecord);
}

/** JavaScript rounds larger numbers than the safe ones, so they identify nothing. */
function toText(value: unknown): string | undefined {
	const isText = typeof value === 'string' && value !== '';
	return isText || Number.isSafeInteger(value) ? String(value) : undefined;
}

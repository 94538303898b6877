import type { IDataObject } from 'n8n-workflow';

import type { RequestFailure } from '../errors/failure';
import { toAddressKey } from '../parameters/addresses';
import { describeBody } from '../responses/serviceMessage';
import { isRecord } from '../responses/shapes';

const CONTAINER_IDS = ['uuid', 'id'];
const CONTAINER_NAMES = ['name', 'container_name'];
const EMAILS = ['email'];

/** Identifier and name of a container, at the top of a response or in what holds it (docs/openapi.yaml, Container). */
export function getContainerIdentity(response: IDataObject): { id?: string; name?: string } {
	const places = listPlaces(response, 'container');
	return { id: listTexts(places, CONTAINER_IDS)[0], name: listTexts(places, CONTAINER_NAMES)[0] };
}

/** The record of a container, at the top of a response or in what holds it. */
export function unwrapContainer(response: IDataObject): IDataObject {
	return findPlace(response, 'container', CONTAINER_IDS);
}

export function getContactEmail(response: IDataObject): string | undefined {
	return listTexts(listPlaces(response, 'contact'), EMAILS)[0];
}

/** The record of a contact, at the top of a response or in what holds it (docs/openapi.yaml, Contact). */
export function unwrapContact(response: IDataObject): IDataObject {
	return findPlace(response, 'contact', EMAILS);
}

/** What a container is known by: a UUID is the same in capitals, another identifier might not be. */
export function toContainerKey(id: string): string {
	return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id.toLowerCase() : id;
}

/** The failure of a response that is about another container than the one that was asked for. */
export function checkContainerId(containerId: string, ...shown: Array<string | undefined>) {
	const ids = shown.filter((id) => id !== undefined);
	const isSame = (id: string) => id.toLowerCase() === containerId.toLowerCase();
	if (ids.length === 0 || ids.some(isSame)) return undefined;
	const [expected, received] = [containerId, ids[0]].map((id) => `the container "${id}"`);
	return { kind: 'unexpected', expected, received } satisfies RequestFailure;
}

/** The ID of the container that a response names beside its rules, where a `uuid` or `id` can be that of the rules. */
export function getContainerIdOfRules(response: IDataObject): string | undefined {
	const { container = { uuid: response.container_id ?? response.containerId } } = response;
	return isRecord(container) ? getContainerIdentity(container).id : undefined;
}

/** With the ID at the top, in place of any `containerId` of its own. */
export function withContainerId(containerId: string, record: IDataObject): IDataObject {
	return Object.assign({ containerId }, record, { containerId });
}

/** The failure of a response without the record that was asked for. */
export function checkRecord(
	response: IDataObject,
	{ containerId, contactEmail }: { containerId?: string; contactEmail?: string },
): RequestFailure | undefined {
	if (containerId) {
		const ids = listTexts([unwrapContainer(response)], CONTAINER_IDS);
		return ids.length === 0
			? describeMissing('a container with a uuid', response)
			: checkContainerId(containerId, ...ids);
	}
	if (!contactEmail) return undefined;
	const email = getContactEmail(response);
	if (email === undefined) return describeMissing('a contact with an email', response);
	if (toAddressKey(email) === toAddressKey(contactEmail)) return undefined;
	const [expected, received] = [contactEmail, email].map((address) => `the contact "${address}"`);
	return { kind: 'unexpected', expected, received };
}

/** The failure of a response that should show a record. */
export function describeMissing(expected: string, response: IDataObject): RequestFailure {
	return {
		kind: 'unexpected',
		expected,
		received: describeBody({ kind: 'json', value: response }),
	};
}

/** Where a record can be, the innermost place first. */
function listPlaces(response: IDataObject, holder: 'container' | 'contact'): IDataObject[] {
	const { [holder]: held, data } = response;
	const inData = isRecord(data) ? data[holder] : undefined;
	return [held, inData, data, response].filter(isRecord);
}

function findPlace(response: IDataObject, holder: 'container' | 'contact', keys: string[]) {
	const places = listPlaces(response, holder);
	return places.find((place) => listTexts([place], keys).length > 0) ?? response;
}

function listTexts(places: IDataObject[], keys: string[]): string[] {
	return places.flatMap((place) => keys.flatMap((key) => toText(place[key]) ?? []));
}

/** JavaScript rounds larger numbers, so they identify nothing. */
function toText(value: unknown): string | undefined {
	if (Number.isSafeInteger(value)) return String(value);
	return typeof value === 'string' && value !== '' ? value : undefined;
}

import type { IDataObject } from 'n8n-workflow';

import type { RequestFailure } from '../errors/failure';
import { toAddressKey } from '../parameters/addresses';
import { describeBody } from '../responses/serviceMessage';
import { isRecord } from '../responses/shapes';

/** Identifier and name of a container, at the top of a response or in what holds it (docs/openapi.yaml, Container). */
export function getContainerIdentity(response: IDataObject): { id?: string; name?: string } {
	const places = listPlaces(response, 'container');
	const [[id], [name]] = [listIds(places), listTexts(places, 'name', 'container_name')];
	return { id, name };
}

/** The record of a container, at the top of a response or in what holds it. */
export function unwrapContainer(response: IDataObject): IDataObject {
	const places = listPlaces(response, 'container');
	return places.find((place) => listIds([place]).length > 0) ?? response;
}

export function getContactEmail(response: IDataObject): string | undefined {
	return listTexts(listPlaces(response, 'contact'), 'email')[0];
}

/** The record of a contact, at the top of a response or in what holds it (docs/openapi.yaml, Contact). */
export function unwrapContact(response: IDataObject): IDataObject {
	const places = listPlaces(response, 'contact');
	return places.find((place) => listTexts([place], 'email').length > 0) ?? response;
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
		const ids = listIds([unwrapContainer(response)]);
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
export function describeMissing(expected: string, value: IDataObject): RequestFailure {
	return { kind: 'unexpected', expected, received: describeBody({ kind: 'json', value }) };
}

/** Where a record can be, the innermost place first. */
function listPlaces(response: IDataObject, holder: 'container' | 'contact'): IDataObject[] {
	const { [holder]: held, data } = response;
	const inData = isRecord(data) ? data[holder] : undefined;
	return [held, inData, data, response].filter(isRecord);
}

function listIds(places: IDataObject[]): string[] {
	return listTexts(places, 'uuid', 'id');
}

/** JavaScript rounds larger numbers than the safe ones, so they identify nothing. */
function listTexts(places: IDataObject[], ...keys: string[]): string[] {
	const values = places.flatMap((place) => keys.map((key) => place[key]));
	return values
		.filter((value) => Number.isSafeInteger(value) || (typeof value === 'string' && value !== ''))
		.map(String);
}

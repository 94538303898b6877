import type { IDataObject } from 'n8n-workflow';

import type { RequestFailure } from '../errors/failure';
import { toAddressKey } from '../parameters/addresses';
import { describeBody } from '../responses/serviceMessage';
import { isRecord } from '../responses/shapes';

type Kind = 'container' | 'contact';

/** By what each is known (docs/openapi.yaml, Container and Contact). */
const ID_NAMES: Record<Kind, string[]> = { container: ['uuid', 'id'], contact: ['email'] };

/** Identifier and name of a container, at the top of a response or in what holds it. */
export function getContainerIdentity(response: IDataObject): { id?: string; name?: string } {
	const places = listPlaces(response, 'container');
	const [id] = listTexts(places, ID_NAMES.container);
	const [name] = listTexts(places, ['name', 'container_name']);
	return { id, name };
}

export function getContactEmail(response: IDataObject): string | undefined {
	return listTexts(listPlaces(response, 'contact'), ID_NAMES.contact)[0];
}

/** The record of a container, at the top of a response or in what holds it. */
export function unwrapContainer(response: IDataObject): IDataObject {
	return unwrap(response, 'container');
}

/** The record of a contact, at the top of a response or in what holds it. */
export function unwrapContact(response: IDataObject): IDataObject {
	return unwrap(response, 'contact');
}

/** What a container is known by: a UUID is the same in capitals, another identifier might not be. */
export function toContainerKey(id: string): string {
	return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? id.toLowerCase() : id;
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
	const kind = containerId ? 'container' : 'contact';
	const asked = containerId || contactEmail;
	if (!asked) return undefined;
	const shown = listTexts([unwrap(response, kind)], ID_NAMES[kind]);
	if (shown.length === 0) return describeMissing(`the ${kind} "${asked}"`, response);
	if (shown.some((id) => toAddressKey(id) === toAddressKey(asked))) return undefined;
	const [expected, received] = [asked, shown[0]].map((id) => `the ${kind} "${id}"`);
	return { kind: 'unexpected', expected, received };
}

/** The failure of a response that should show a record. */
export function describeMissing(expected: string, value: IDataObject): RequestFailure {
	return { kind: 'unexpected', expected, received: describeBody({ kind: 'json', value }) };
}

function unwrap(response: IDataObject, kind: Kind): IDataObject {
	const places = listPlaces(response, kind);
	return places.find((place) => listTexts([place], ID_NAMES[kind]).length > 0) ?? response;
}

/** Where a record can be, the innermost place first. */
function listPlaces(response: IDataObject, holder: Kind): IDataObject[] {
	const { [holder]: held, data } = response;
	const inData = isRecord(data) ? data[holder] : undefined;
	return [held, inData, data, response].filter(isRecord);
}

/** JavaScript rounds larger numbers than the safe ones, so they identify nothing. */
function listTexts(places: IDataObject[], keys: string[]): string[] {
	const values = places.flatMap((place) => keys.map((key) => place[key]));
	return values
		.filter((value) => Number.isSafeInteger(value) || (typeof value === 'string' && value !== ''))
		.map(String);
}

import type { IDataObject } from 'n8n-workflow';

import type { RequestFailure } from '../errors/failure';
import { toAddressKey } from '../parameters/addresses';
import { cleanAddress } from '../parameters/lists';
import { describeBody } from '../responses/serviceMessage';
import { isFilled, isRecord, pick } from '../responses/shapes';

/** What a service says in place of a record. */
const WORDS =
	/^(message|msg|detail|reason|success|found|meta|timestamp|(request|trace)_?id)$|code|status/i;
/** What holds a record, and is empty where there is none. */
const HOLDER = /^(data|result|container|contact|user|errors?)$/i;

/** Converts a list entry, which can be only an identifier or address, to a JSON object; undefined for null. */
export function toRecord(entry: unknown, scalarKey: string): IDataObject | undefined {
	if (entry === null || entry === undefined) return undefined;
	if (isRecord(entry)) return entry;
	// JavaScript rounds larger numbers, so they identify nothing.
	if (typeof entry === 'string' || Number.isSafeInteger(entry)) {
		return { [scalarKey]: String(entry) };
	}
	return { value: entry as IDataObject[] };
}

/** Identifier and name of a container, plain or in an envelope (docs/openapi.yaml, ContainerEnvelope). */
export function getContainerIdentity(record: IDataObject): { id?: string; name?: string } {
	const container =
		isRecord(record.container) && isFilled(record.container) ? record.container : record;
	return { id: pick(container, 'id').map(toText).find(Boolean), name: toText(container.name) };
}

/**
 * The identifier of a new container, only where the contract has it: `container.uuid`, or the `uuid` of a plain record.
 * An `id` can be that of a job or of the request.
 */
export function getNewContainerId(response: IDataObject): string | undefined {
	return toText((isRecord(response.container) ? response.container : response).uuid);
}

/** What a container is known by: a UUID is the same in capitals, another identifier might not be. */
export function toContainerKey(id: string): string {
	return isUuid(id) ? id.toLowerCase() : id;
}

function isUuid(id: string): boolean {
	return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id);
}

/**
 * The failure of a response that is about another container than the one that was asked for. Services can have numbers of
 * their own beside UUIDs: an ID of another kind proves nothing.
 */
export function checkContainerId(containerId: string, id?: string): RequestFailure | undefined {
	if (!id || id.toLowerCase() === containerId.toLowerCase()) return undefined;
	if (isUuid(id) !== isUuid(containerId)) return undefined;
	const [expected, received] = [containerId, id].map((text) => `the container "${text}"`);
	return { kind: 'unexpected', expected, received };
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

export function getContactEmail(record: IDataObject): string | undefined {
	const addresses = pick(unwrapContact(record), 'email').map(toText);
	// The address of a person can also be that of a house.
	const address = addresses.find((text) => text?.includes('@'));
	return address && (cleanAddress(address) || address);
}

/** The record of a contact, plain or in what holds it (docs/openapi.yaml, getContact). */
export function unwrapContact(record: IDataObject): IDataObject {
	// A contact can have fields with such names, too.
	const isContact = pick(record, 'email').length > 0;
	const others = isContact ? [] : [record.data, record.user];
	const held = [record.contact, ...others].find(isRecord);
	if (held === undefined || (isContact && !getContactEmail(held))) return record;
	return unwrapContact(held);
}

/**
 * The failure of a response that is no record, such as `{ "message": "Not found" }` or `{ "container": null }`, or is
 * another one than was asked for.
 */
export function checkRecord(
	record: IDataObject,
	asked: { containerId?: string; contactEmail?: string },
): RequestFailure | undefined {
	const kind = 'unexpected';
	const { id } = getContainerIdentity(record);
	const email = getContactEmail(record);
	const keys = Object.keys(record);
	const isNothing = (key: string) =>
		WORDS.test(key) || (HOLDER.test(key) && !isFilled(record[key]));
	const isEmpty = 'container' in record && !isFilled(record.container);
	if (!id && !email && (isEmpty || keys.every(isNothing))) {
		const isContainer = asked.containerId && keys.length > 0;
		const expected = isContainer ? 'a container with a uuid' : 'a record';
		return { kind, expected, received: describeBody({ kind: 'json', value: record }) };
	}
	if (asked.containerId) return checkContainerId(asked.containerId, id);
	const { contactEmail } = asked;
	if (!email || !contactEmail) return undefined;
	if (toAddressKey(email) === toAddressKey(contactEmail)) return undefined;
	return { kind, expected: `the contact "${contactEmail}"`, received: `the contact "${email}"` };
}

function toText(value: unknown): string | undefined {
	if (Number.isSafeInteger(value)) return String(value);
	return typeof value === 'string' && value !== '' ? value : undefined;
}

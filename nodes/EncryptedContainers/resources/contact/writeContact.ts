import type { IDataObject } from 'n8n-workflow';

import { getContactEmail, unwrapContact } from '../../../shared/api/records';
import type { ServiceRequest } from '../../../shared/client/client';
import { buildPath } from '../../../shared/client/path';
import { toAddressKey } from '../../../shared/parameters/addresses';
import type { Call } from '../../execution/operation';
import { isSameValue } from './sameValue';

/**
 * Creates or updates a contact (docs/openapi.yaml, upsertContact).
 *
 * @returns the record, if the service returns one
 * @throws NodeApiError also when the service returns another contact, or another value than was sent
 */
export async function writeContact(
	{ client }: Call,
	userId: string,
	email: string,
	json: IDataObject,
): Promise<IDataObject | undefined> {
	const request: ServiceRequest = {
		method: 'PATCH',
		path: getContactPath(userId, email),
		action: 'create or update the contact',
		json,
		subject: { contactEmail: email },
	};
	const refuse = (expected: string, received: string) =>
		client.createError(request, { kind: 'unexpected', expected, received });
	const { object: record } = await client.requestChange(request);
	if (record === undefined) return undefined;
	const found = getContactEmail(record) ?? email;
	if (toAddressKey(found) !== toAddressKey(email)) {
		throw refuse(`the contact "${email}"`, `the contact "${found}"`);
	}
	if (findContradiction(record, json) === undefined) return record;
	// The response may show the contact as it was before.
	const look = { ...request, method: 'GET' as const, action: 'get the contact', json: undefined };
	const current = await client.requestObject(look);
	const name = findContradiction(current, json);
	if (name === undefined) return current;
	const [expected, received] = [json, unwrapContact(current)].map(
		(fields) => `"${name}" with the value ${JSON.stringify(fields[name])}`,
	);
	throw refuse(expected, received);
}

export function getContactPath(userId: string, email: string): string {
	return buildPath(['users', userId, 'contacts', email]);
}

/** The name of a field that a record shows with another value than was sent. */
export function findContradiction(record: IDataObject, sent: IDataObject): string | undefined {
	const current = unwrapContact(record);
	return Object.keys(sent).find(
		(name) => Object.hasOwn(current, name) && !isSimilar(current[name], sent[name]),
	);
}

/** Services write phone numbers and names in a form of their own: other spaces, signs and capitals prove nothing. */
function isSimilar(one: unknown, other: unknown): boolean {
	if (isSameValue(one, other)) return true;
	if (typeof one === 'object' || typeof other === 'object') return false;
	const [text, otherText] = [one, other].map((value) =>
		String(value)
			.replace(/[^\p{L}\p{N}]/gu, '')
			.toLowerCase(),
	);
	return text === otherText;
}

import type { IDataObject } from 'n8n-workflow';

import { getContactEmail, unwrapContact } from '../../../shared/api/records';
import type { ServiceRequest } from '../../../shared/client/client';
import { buildPath } from '../../../shared/client/path';
import { RecentValues } from '../../../shared/client/recentValues';
import { isNotFound } from '../../../shared/errors/nodeErrors';
import { toAddressKey } from '../../../shared/parameters/addresses';
import type { Call } from '../../execution/operation';
import { isSameValue } from './sameValue';

/** How long this process knows what it changed, in milliseconds: longer than an execution takes. */
const MAX_AGE = 3_600_000;

/** When this process changed a contact, by `getServiceKey`: a list from before shows it as it was. */
const changes = new RecentValues<number>(MAX_AGE);

/** Notes that a contact is about to change: even if the response is lost. */
export function noteChange(call: Call, userId: string, email: string): void {
	changes.set(getChangeKey(call, userId, email), Date.now());
}

/** Whether an execution of this process changed a contact since a time. */
export function isChangedSince(call: Call, userId: string, email: string, time: number): boolean {
	return (changes.get(getChangeKey(call, userId, email)) ?? 0) >= time;
}

function getChangeKey(call: Call, userId: string, email: string): string {
	return call.getServiceKey(`${userId} ${toAddressKey(email)}`);
}

/**
 * Creates or updates a contact (docs/openapi.yaml, upsertContact).
 *
 * @param named gets the `toAddressKey` of the contact, and of each that a response names
 * @returns the record, if the service returns one
 * @throws NodeApiError also when the service returns another contact, or another value than was sent
 */
export async function writeContact(
	call: Call,
	userId: string,
	email: string,
	json: IDataObject,
	named = new Set<string>(),
): Promise<IDataObject | undefined> {
	const { client } = call;
	noteChange(call, userId, email);
	const request: ServiceRequest = {
		method: 'PATCH',
		path: getContactPath(userId, email),
		action: 'create or update the contact',
		json,
		subject: { contactEmail: email },
	};
	const record = await client.requestOptionalObject(request);
	const shown = record && getContactEmail(record);
	for (const address of [email, shown]) if (address !== undefined) named.add(toAddressKey(address));
	const problem = record && findContradiction(record, email, json);
	if (problem === undefined) return record;
	// The response may show the contact as it was before.
	const look = { ...request, method: 'GET' as const, action: 'get the contact', json: undefined };
	const current = await client.requestObject(look).catch((error: unknown) => {
		if (!isNotFound(error)) throw error;
	});
	const lasting = current ? findContradiction(current, email, json) : problem;
	if (lasting === undefined) return current ?? undefined;
	throw client.createError(request, { kind: 'unexpected', ...lasting });
}

export function getContactPath(userId: string, email: string): string {
	return buildPath(['users', userId, 'contacts', email]);
}

/** What a record shows that can't be of the contact that was written; undefined for what it doesn't show. */
export function findContradiction(
	record: IDataObject,
	email: string,
	sent: IDataObject,
): { expected: string; received: string } | undefined {
	const found = getContactEmail(record);
	if (found !== undefined && toAddressKey(found) !== toAddressKey(email)) {
		return { expected: `the contact "${email}"`, received: `the contact "${found}"` };
	}
	const current = unwrapContact(record);
	const isOther = ([name, value]: [string, unknown]) =>
		Object.hasOwn(current, name) && !isSimilar(current[name], value);
	const [name, value] = Object.entries(sent).find(isOther) ?? [];
	if (name === undefined) return undefined;
	const [expected, received] = [value, current[name]].map(
		(shown) => `"${name}" with the value ${JSON.stringify(shown)}`,
	);
	return { expected, received };
}

/** Services write phone numbers and names in a form of their own: other spaces, signs and capitals prove nothing. */
function isSimilar(one: unknown, other: unknown): boolean {
	if (isSameValue(one, other)) return true;
	const [text, otherText] = [one, other].map((value) =>
		typeof value === 'object'
			? undefined
			: String(value)
					.replace(/[^\p{L}\p{N}]/gu, '')
					.toLowerCase(),
	);
	return text !== undefined && text === otherText;
}

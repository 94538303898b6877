import type { IDataObject } from 'n8n-workflow';

import { getContactEmail, unwrapContact } from '../../../shared/api/records';
import type { ServiceRequest } from '../../../shared/client/client';
import { buildPath } from '../../../shared/client/path';
import { noteSentChange } from '../../../shared/errors/nodeErrors';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { listSome } from '../../../shared/parameters/values';
import type { Call } from '../../execution/operation';
import { findWrongField, listDifferences } from './compareContacts';

/** @throws NodeApiError also when the service returns another contact, or another value than was sent */
export async function writeContact(call: Call, userId: string, email: string, json: IDataObject) {
	const { client } = call;
	const request: ServiceRequest = {
		method: 'PATCH',
		path: buildPath(['users', userId, 'contacts', email]),
		action: 'create or update the contact',
		json,
		subject: { contactEmail: email },
	};
	const { object: record = {} } = await client.requestChange(request);
	const refuse = (received: string, advice?: string, expected = `the contact "${email}"`) =>
		client.createError(request, { kind: 'unexpected', expected, received, advice });
	const assertPerson = (shown: IDataObject) => {
		const found = getContactEmail(shown) ?? email;
		if (toAddressKey(found) !== toAddressKey(email)) throw refuse(`the contact "${found}"`);
	};
	assertPerson(record);
	if (findWrongField(record, json) === undefined) {
		hintAtMissing(call, record, json);
		return Object.keys(record).length === 0 ? undefined : record;
	}
	// The response may show the contact as it was before.
	const look = { ...request, method: 'GET' as const, action: 'get the contact', json: undefined };
	const current = await client.requestObject(look).catch((error: Error) => {
		throw noteSentChange(error);
	});
	assertPerson(current);
	const name = findWrongField(current, json);
	if (name === undefined) return current;
	const [expected, received] = [json, unwrapContact(current)].map(
		(fields) => `"${name}" with the value ${JSON.stringify(fields[name] ?? null)}`,
	);
	const advice = `Check that the service accepts this value for "${name}".`;
	throw refuse(received, advice, expected);
}

/** A service can drop fields that it doesn't know. A response without any of them says nothing. */
function hintAtMissing({ client, run }: Call, record: IDataObject, sent: IDataObject): void {
	const isShown = (name: string) => Object.hasOwn(unwrapContact(record), name);
	const missing = listDifferences(record, sent).filter((name) => !isShown(name));
	if (missing.length === 0 || !Object.keys(sent).some(isShown)) return;
	const names = client.redactLine(listSome(missing));
	run.addHint(
		`The service might not save these fields, which its response lacks: ${names}. If so, don't send them: they make contacts look changed in each run.`,
	);
}

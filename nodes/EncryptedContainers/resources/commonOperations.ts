import { UserError, type INodeProperties } from 'n8n-workflow';

import { hasFeature } from '../../shared/api/features';
import type { ListOptions } from '../../shared/api/lists';
import { withLink, withRequestLink } from '../../shared/api/links';
import { expectRecord } from '../../shared/api/records';
import { acceptChange, acceptObject, type Expectation } from '../../shared/client/accept';
import type { Client, ServiceRequest } from '../../shared/client/client';
import { isInDoubt, isNotFound } from '../../shared/errors/errors';
import { findSubject, RECORD_NAMES } from '../../shared/errors/failure';
import { readQuery } from '../../shared/parameters/requests';
import { shorten } from '../../shared/parameters/values';
import { approvalNotice, limitField, returnAllField } from '../descriptions/commonFields';
import type { Item, PathParams } from '../execution/item';
import type { Operation } from '../execution/operation';

interface RecordRequest {
	/** What it does, in words that follow "to". */
	action: string;
	/** Which record it is about: of none, it is the only one. */
	pathField?: INodeProperties;
	/** Where the response is not the record itself. */
	expected?: Expectation;
}

/**
 * The request that creates what its operation is for: once, also in several tries of the node.
 * @throws UserError where an earlier try might have created it, and the service doesn't recognize it
 */
export async function getCreation(item: Item) {
	const declared = await item.getRequest();
	const { doubt } = declared;
	const idempotent = await hasFeature(item.client, 'idempotency_key');
	if (doubt !== undefined && !(idempotent && doubt.isRecognized)) {
		// Follows the first error, which says what to do (RetryMemory).
		throw new UserError('Retry On Fail did not send it again');
	}
	const idempotencyKey = idempotent ? item.idempotencyKey : undefined;
	return { ...declared, idempotent, idempotencyKey };
}

/** Returns one record unchanged. */
export function getOne({ action, pathField, expected }: RecordRequest): Operation<PathParams> {
	return {
		pathFields: pathField && [pathField],
		parse: (item) => item.pathParams,
		async send(item, subject) {
			const asked = findSubject(subject);
			const record = asked && expectRecord(asked.kind, asked.id);
			const declared = await item.getRequest();
			const request = { ...declared, action, subject, expected: expected ?? record };
			const { object } = await item.client.request(request, acceptObject);
			const { containerId, requestId } = subject;
			if (requestId !== undefined) return [await withRequestLink(item.client, requestId, object)];
			if (containerId === undefined) return [object];
			return [await withLink(item.client, containerId, object)];
		},
	};
}

export function deleteOne(action: string, pathField: INodeProperties): Operation<PathParams> {
	return {
		pathFields: [pathField],
		fields: [approvalNotice],
		parse: (item) => item.pathParams,
		async send(item, subject) {
			const { containerId, contactEmail: email, requestId } = subject;
			const { path, doubt } = await item.getRequest();
			const request = { path, action, subject, doubt };
			const remove = async () => await deleteRecord(item.client, request);
			// Once for two items with the same record.
			await item.memoize(`DELETE ${path}`, remove).catch((error: unknown) => {
				// Gone, and perhaps by an attempt before this one.
				if (!(isNotFound(error) && isInDoubt(error))) throw error;
			});
			const ids = { containerId, email, requestId };
			const [[name, id]] = Object.entries(ids).filter(([, value]) => value !== undefined);
			return [{ deleted: true, [name]: id }];
		},
	};
}

/** Deletes a record, which must be gone where the service answers with a body. @throws ServiceError */
export async function deleteRecord(
	client: Client,
	request: Omit<ServiceRequest, 'method'>,
): Promise<void> {
	const deletion = { ...request, method: 'DELETE' } as const;
	const { isEmpty, message } = await client.request(deletion, acceptChange);
	if (isEmpty) return;
	const { path, subject = {} } = request;
	const look: ServiceRequest = {
		method: 'GET',
		path,
		action: 'check the deletion',
		subject,
		doubt: { what: 'change', isEarlier: true },
	};
	const left = await client.request(look, acceptObject).catch((error: Error) => {
		if (!isNotFound(error)) throw error;
	});
	if (left === undefined) return;
	const { kind = 'container' } = findSubject(subject) ?? {};
	const record = RECORD_NAMES[kind];
	const answer = message === undefined ? 'a response without a message' : `"${shorten(message)}"`;
	throw client.createError(deletion, {
		kind: 'undone',
		problem: `The ${record} is still there. The service answered the deletion with ${answer}.`,
		advice: `The service might delete the ${record} later: look for it with Get in a few minutes. If it is still there, check that the API key has the permission to delete it.`,
	});
}

/** How much of a list to get. Where a part of it is enough, a hint says that there might be more. */
export function parseListOptions(item: Item, matches?: ListOptions['matches']): ListOptions {
	const query = readQuery(item);
	if (item.read(returnAllField)) return { query, matches };
	const limit = item.read(limitField);
	// What a filter found says nothing of the rest.
	if (matches !== undefined) return { query, matches, limit };
	const onRest = (rest: string) => {
		const hint = `There might be more entries, because ${rest}, but the service returned no link to them. If it has parameters for other pages, enter them in "Query Parameters".`;
		item.execution.addHint(item.client.redactor.redactLine(hint));
	};
	return { query, limit, onRest };
}

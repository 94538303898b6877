import type { IDataObject } from 'n8n-workflow';

/** A response where the contract leaves the shape open. */
export interface ResponseShape {
	shape: string;
	status: number;
	body: string;
	type?: string;
}

const json = (shape: string, body: unknown, status = 200): ResponseShape => ({
	shape,
	status,
	body: JSON.stringify(body),
	type: 'application/json; charset=utf-8',
});

/** The entries of a list in each possible shape of a list endpoint. */
export function listShapes(entries: unknown[]): ResponseShape[] {
	return [
		json('an array', entries),
		...['containers', 'contacts', 'data', 'items', 'results'].map((key) =>
			json(`an object under ${key}`, { [key]: entries, total: entries.length }),
		),
		json('an object in an object', { status: 'ok', data: { items: entries, page: 1 } }),
		json('an array with status 201', entries, 201),
		{
			shape: 'an array with the content type of text',
			status: 200,
			body: JSON.stringify(entries),
			type: 'text/plain',
		},
		{ shape: 'an array without a content type', status: 200, body: JSON.stringify(entries) },
		json('an array with nulls in it', [null, ...entries.flatMap((entry) => [entry, null])]),
	];
}

/** Responses of a list endpoint without entries. */
export const emptyLists: ResponseShape[] = [
	json('an empty array', []),
	json('an object with an empty list', { items: [], total: 0 }),
	json('an array of nulls', [null, null]),
	json('null', null),
	json('an object with null in place of the list', { data: null, total: 0 }),
	{ shape: 'an empty body', status: 200, body: '' },
	{ shape: 'status 204', status: 204, body: '' },
];

/** Responses of a list endpoint that are not lists. Each must be an error that states what was found. */
export const invalidLists: Array<ResponseShape & { message: RegExp }> = [
	{
		...json('an object without a list', { uuid: 'c-1' }),
		message: /a JSON object with the fields uuid instead of a list/,
	},
	{
		...json('an object with null and what failed', { data: null, error: 'not now' }),
		message: /the failure "not now" instead of a list/,
	},
	{
		...json('a failure with an empty list', { items: [], error: { message: 'not now' } }),
		message: /the failure "not now" instead of a list/,
	},
	{
		...json('a list that goes on behind a token', { items: [{}], nextPageToken: 'abc' }),
		message: /1 entries, but there might be more because "nextPageToken" is "abc"/,
	},
	{
		...json('a list with fewer entries than its total', { items: [{}], total: 3 }),
		message: /1 entries, but there might be more because "total" is 3/,
	},
	{ ...json('text in JSON', 'none'), message: /instead of a list/ },
	{ ...json('a number', 5), message: /instead of a list/ },
	{
		shape: 'plain text',
		status: 200,
		body: 'none',
		type: 'text/plain',
		message: /text instead of a list/,
	},
	{
		shape: 'an HTML page',
		status: 200,
		body: '<!doctype html><p>Portal',
		type: 'text/html',
		message: /HTML page instead of an API response/,
	},
	{
		shape: 'incomplete JSON',
		status: 200,
		body: '[{"uuid":"c-1"',
		type: 'application/json',
		message: /invalid JSON/,
	},
	{
		shape: 'JSON that is nested too deep',
		status: 200,
		body: '['.repeat(5000) + ']'.repeat(5000),
		message: /nested more than 100 levels/,
	},
];

/** Responses of a record endpoint that are not records. */
export const invalidRecords: Array<ResponseShape & { message: RegExp }> = [
	{ ...json('a list', [{ uuid: 'c-1' }]), message: /a list instead of a JSON object/ },
	{ ...json('text in JSON', 'c-1'), message: /instead of a JSON object/ },
	{ ...json('null', null), message: /instead of a JSON object/ },
	{
		shape: 'an empty body',
		status: 200,
		body: '',
		message: /an empty response instead of a JSON object/,
	},
	{
		shape: 'status 204',
		status: 204,
		body: '',
		message: /an empty response instead of a JSON object/,
	},
	{
		shape: 'plain text',
		status: 200,
		body: 'done',
		type: 'text/plain',
		message: /text instead of a JSON object/,
	},
	{
		shape: 'an HTML page',
		status: 200,
		body: '<html><p>Portal</html>',
		type: 'text/html',
		message: /HTML page instead of an API response/,
	},
	{
		shape: 'incomplete JSON',
		status: 200,
		body: '{"uuid": "c-',
		type: 'application/json',
		message: /invalid JSON/,
	},
];

/** As invalidRecords, where a record without fields proves nothing. */
export const unprovenRecords = [
	...invalidRecords,
	{ ...json('an empty object', {}), message: /an empty JSON object instead of a record/ },
];

/** Successful responses to a change (PATCH, DELETE) without a record. */
export const responsesWithoutRecord: ResponseShape[] = [
	{ shape: 'an empty 200', status: 200, body: '' },
	{ shape: 'status 204', status: 204, body: '' },
	{ shape: 'an empty 202', status: 202, body: '' },
	{ shape: 'plain text', status: 200, body: 'The change was made', type: 'text/plain' },
	json('text in JSON', 'OK'),
	json('true', true),
	json('null', null),
	json('a list', []),
	json('an empty object', {}),
];

/** Responses to a deletion that are plainly a success; the others are in the tests of getOutcome. */
export const plainDeletions: ResponseShape[] = [
	{ shape: 'an empty 200', status: 200, body: '' },
	{ shape: 'status 204', status: 204, body: '' },
	{ shape: 'plain text', status: 200, body: 'Deleted', type: 'text/plain' },
	json('a message', { message: 'The record was deleted' }),
];

/** Responses to a deletion after which the record must be gone. */
export const unclearDeletions: ResponseShape[] = [
	{ shape: 'an empty 202', status: 202, body: '' },
	{ shape: 'plain text', status: 200, body: 'The change was made', type: 'text/plain' },
	json('a record', { uuid: 'c-1' }),
];

/** Responses to a change with a JSON object. */
export function responsesWithRecord(
	record: IDataObject,
): Array<ResponseShape & { record: IDataObject }> {
	const shape = (name: string, body: IDataObject, status?: number) => ({
		...json(name, body, status),
		record: body,
	});
	return [
		shape('the record', record),
		shape('the record with status 201', record, 201),
		shape('the record under a key', { data: record }),
		shape('a message', { message: 'The change was made' }),
	];
}

/** Responses with a status of success that do not prove that a change was made. */
export const unusableResponses: Array<ResponseShape & { message: RegExp }> = [
	{
		shape: 'an HTML page',
		status: 200,
		body: '<!DOCTYPE html><p>Sign in',
		type: 'text/html',
		message: /HTML page instead of an API response/,
	},
	{
		shape: 'incomplete JSON',
		status: 200,
		body: '{"message": "cha',
		type: 'application/json',
		message: /invalid JSON/,
	},
];

/** Error bodies that all contain `Words of the service`. */
export const errorBodies: ResponseShape[] = [
	json('message and code', { message: 'Words of the service', code: 'E_17' }, 422),
	json('an error in words', { error: 'Words of the service' }, 422),
	json('an error object', { error: { code: 17, message: 'Words of the service' } }, 422),
	json('a list of errors', { errors: [{ message: 'Words of the service' }] }, 422),
	json('errors by field', { errors: { name: ['Words of the service'] } }, 422),
	json('problem details', { title: 'Invalid', detail: 'Words of the service' }, 422),
	json('a list', [{ message: 'Words of the service' }], 422),
	json('text in JSON', 'Words of the service', 422),
	{ shape: 'plain text', status: 422, body: 'Words of the service', type: 'text/plain' },
];

/** Error bodies without a readable message. */
export const errorsWithoutMessage: ResponseShape[] = [
	{ shape: 'nothing', status: 422, body: '' },
	{
		shape: 'an HTML page',
		status: 422,
		body: '<html><body>Words</body></html>',
		type: 'text/html',
	},
	{ shape: 'invalid JSON', status: 422, body: '{"message": "Wor', type: 'application/json' },
	json('an empty object', {}, 422),
	json('null', null, 422),
	json('keys that are unknown', { a: { b: 1 } }, 422),
];

/** Headers of a response of this shape. */
export const headersOf = ({ type }: ResponseShape): Record<string, string> =>
	type === undefined ? {} : { 'content-type': type };

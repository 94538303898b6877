/** A response where the contract leaves the shape open. */
export interface ResponseShape {
	shape: string;
	reply: [status: number, body: string, headers?: Record<string, string>];
}

/** A response that must be an error. */
export type WrongShape = ResponseShape & { message: RegExp };

const json = (shape: string, body: unknown, status = 200): ResponseShape => ({
	shape,
	reply: [status, JSON.stringify(body), { 'content-type': 'application/json; charset=utf-8' }],
});

const text = (shape: string, body: string, type?: string, status = 200): ResponseShape => ({
	shape,
	reply: [status, body, type === undefined ? {} : { 'content-type': type }],
});

/** The entries of a list in each kind of shape. The unit tests of `findList` know all names and levels. */
export const listShapes = (entries: unknown[]): ResponseShape[] => [
	json('an array', entries),
	json('an object', { contacts: null, items: entries, total: entries.length }),
	json('an object in an object', { status: 'ok', data: { items: entries, page: 1 } }, 201),
	text('an array with the content type of text', JSON.stringify(entries), 'text/plain'),
	json('an array with nulls in it', [null, ...entries.flatMap((entry) => [entry, null])]),
];

/** Responses of a list endpoint without entries. */
export const emptyLists: ResponseShape[] = [
	json('an array of nulls', [null, null]),
	json('null in place of the list', { data: null, total: 0 }),
	text('an empty body', ''),
	text('status 204', '', undefined, 204),
];

const page = {
	...text('an HTML page', '<!doctype html><p>Portal', 'text/html'),
	message: /HTML page/,
};
const cutOff = {
	...text('incomplete JSON', '[{"uuid":"c-1"', 'application/json'),
	message: /invalid JSON/,
};

/** Responses of a list endpoint that are not lists. Each must be an error that states what was found. */
export const invalidLists: WrongShape[] = [
	{
		...json('an object without a list', { uuid: 'c-1' }),
		message: /a JSON object with the fields uuid instead of a list/,
	},
	{
		...json('a failure with an empty list', { items: [], error: { message: 'not now' } }),
		message: /the failure "not now" instead of a list/,
	},
	{
		...json('a list that goes on behind a token', { items: [{}], nextPageToken: 'abc' }),
		message: /1 entries, but there might be more because "nextPageToken" is "abc"/,
	},
	page,
	cutOff,
	{
		...text('JSON that is nested too deep', '['.repeat(5000) + ']'.repeat(5000)),
		message: /nested more than 100 levels/,
	},
];

/** Responses of a record endpoint that are not records. The unit tests of the client know more. */
export const invalidRecords: WrongShape[] = [
	{ ...json('a list', [{ uuid: 'c-1' }]), message: /a list instead of a JSON object/ },
	{
		...text('status 204', '', undefined, 204),
		message: /an empty response instead of a JSON object/,
	},
	page,
	cutOff,
];

/** Successful responses to a change without a record. */
export const responsesWithoutRecord: ResponseShape[] = [
	text('status 204', '', undefined, 204),
	text('an empty 202', '', undefined, 202),
	text('plain text', 'The change was made', 'text/plain'),
	json('an empty object', {}),
];

/** Responses with a status of success that do not prove that a change was made. */
export const unusableResponses: WrongShape[] = [page, cutOff];

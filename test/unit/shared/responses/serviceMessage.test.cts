import {
	describeBody,
	findServiceMessage,
} from '../../../../nodes/shared/responses/serviceMessage';
import { toBody } from '../../support/body.cts';
import { rowsOf } from '../../../support/texts.cts';

const said = async (body: unknown) =>
	findServiceMessage(await toBody(typeof body === 'string' ? body : JSON.stringify(body)));

/** What the service returned, and its words. */
const messages = rowsOf<[body: unknown, words: string | null]>(`
	message: [{ message: No such container }, No such container]
	message and code: [{ message: No such container, code: not_found }, No such container (not_found)]
	a number as code: [{ message: No such container, code: 4041 }, No such container (4041)]
	errorCode: [{ message: A, errorCode: E }, A (E)]
	a code that is null: [{ message: A, code: null, errorCode: E }, A (E)]
	a code that is empty: [{ message: A, code: "", errorCode: E }, A (E)]
	a code that is an object: [{ message: A, code: { a: 1 }, errorCode: E }, A (E)]
	a code in the message: [{ message: Error 17, code: 17 }, Error 17]
	a code alone: [{ code: E_LIMIT }, "code: E_LIMIT"]
	error text: [{ error: A }, A]
	error object: [{ error: { message: A } }, A]
	nested errors: [{ error: { error: { message: A } } }, A]
	errors that are too deep: [{ error: { error: { error: { error: { message: A } } } } }, null]
	error and description: [{ error: x, error_description: A }, A]
	errors as objects: [{ errors: [{ message: A }, {}, { message: B }] }, A; B]
	errors by field: [{ errors: { container_id: [A] } }, "container_id: A"]
	many errors: [{ errors: { a: A, b: B, c: C, d: D, e: E, f: F } }, "a: A; b: B; c: C; d: D; e: E"]
	a list: [[{ message: A }], A]
	a long list: [[A, B, C, D, E, F], A; B; C; D; E]
	a title and a detail: [{ type: about:blank, title: x, detail: A }, A]
	a reason: [{ reason: A }, A]
	a fault: [{ fault: { faultstring: x, message: A } }, A]
	data: [{ data: { message: A } }, A]
	data of a record: [{ data: { name: [A] } }, "name: A"]
	a record: [{ name: [A], count: 3 }, "name: A; count: 3"]
	a record with a password: [{ name: A, password: B }, "name: A"]
	a null before: [{ message: null, error: { message: A } }, A]
	an empty text before: [{ message: " ", detail: " A " }, A]
	an object as detail: [{ detail: { name: A } }, "name: A"]
	a message and deep errors: [{ message: A, errors: { name: { message: { message: { message: B } } } } }, A]
	a message that repeats errors: [{ message: "name: A", errors: { name: [A] } }, "name: A"]
	text in JSON: ['"No such container"', No such container]
	the title of a page: [<!doctype html><title>407 Proxy</title>, HTML page "407 Proxy"]
	nothing: ["", null]
	a page without a title: [<html><body>Not found</body></html>, null]
	an empty object: ["{}", null]
	lists in lists: ['[[[[[["deep"]]]]]]', null]
	invalid JSON: ['{"message": "cut o', null]
	ProblemDetails: [{ title: Bad input, status: 400, errors: { Name: [empty], Opens: [low] } }, "Bad input Name: empty; Opens: low"]
	FastAPI: [{ detail: [{ loc: [body, name], msg: field required, type: missing }] }, field required]
	FastAPI with an object: [{ detail: { reason: locked, by: 7 } }, locked]
	Spring Boot without a message: [{ status: 400, error: Bad Request, path: /x }, Bad Request]
`);

it.each(messages)('the message of the service is found: %s', async (_shape, [body, words]) => {
	expect(await said(body)).toBe(words ?? undefined);
});

it.each<[string, string, ('failed' | 'pending')?]>([
	['', 'an empty response'],
	['Done', 'text'],
	['<html></html>', 'text'],
	['[]', 'a list'],
	['"Done"', 'text'],
	['5', 'the JSON value 5'],
	['null', 'the JSON value null'],
	['[{"error":"Not now"}]', 'a list'],
	['{}', 'an empty JSON object'],
	['{"error":"Not now"}', 'the failure "Not now"', 'failed'],
	['{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}', 'a JSON object with the fields a, b, c, d, e'],
	['Error: locked', 'the failure "Error: locked"', 'failed'],
	['[{"error":"Not now"}]', 'the failure "Not now"', 'failed'],
	['{"deletedCount":0}', 'the failure "deletedCount: 0"', 'failed'],
	['{"id":"job-1"}', 'a response that says that it is not done yet', 'pending'],
])('the body %j is described as %s', async (text, words, ...[outcome]) => {
	expect(describeBody(await toBody(text), outcome)).toBe(words);
});

import { describeReceived, findServiceMessage } from '../../../../nodes/shared/responses/body';
import { rowsOf } from '../../../support/texts.cts';

/** What the service returned, and its words. */
const messages = rowsOf<[body: unknown, words: string | null]>(`
	message: [{ message: No such container }, No such container]
	message and code: [{ message: No such container, code: not_found }, No such container (not_found)]
	a code in the message: [{ message: Error E17, code: E17 }, Error E17]
	a code alone: [{ code: E_LIMIT }, "code: E_LIMIT"]
	the contract: [{ message: Invalid values, code: invalid, fields: { opens: is negative, time.end: is over } }, "Invalid values: opens: is negative; time.end: is over (invalid)"]
	a message that says the field: [{ message: "Invalid value: opens is negative", code: invalid, fields: { opens: is negative } }, "Invalid value: opens is negative (invalid)"]
	a code after a sentence: [{ message: Must be an array., code: invalid }, Must be an array (invalid)]
	error text: [{ error: A }, A]
	error object: [{ error: { message: A } }, A]
	errors that are too deep: [{ error: { error: { error: { error: { message: A } } } } }, null]
	error and description: [{ error: x, error_description: A }, A]
	errors as objects: [{ errors: [{ message: A }, {}, { message: B }] }, A; B]
	errors by field: [{ errors: { container_id: [A] } }, "container_id: A"]
	many errors: [{ errors: { a: A, b: B, c: C, d: D, e: E, f: F } }, "a: A; b: B; c: C; d: D; e: E"]
	a list: [[{ message: A }], A]
	a long list: [[A, B, C, D, E, F], A; B; C; D; E]
	a title and a detail: [{ type: about:blank, title: x, detail: A }, A]
	a record: [{ name: [A], count: 3 }, "name: A; count: 3"]
	a null before: [{ message: null, error: { message: A } }, A]
	an empty text before: [{ message: " ", detail: " A " }, A]
	a message that repeats errors: [{ message: "name: A", errors: { name: [A] } }, "name: A"]
	text: [" No such container ", No such container]
	an empty text: ["", null]
	an empty object: [{}, null]
	a number: [5, null]
	lists in lists: [[[[[[[deep]]]]]], null]
	Laravel: [{ message: Bad input., errors: { name: [empty], opens: [low] } }, "Bad input: name: empty; opens: low"]
	Laravel with one error: [{ message: The name is empty., errors: { name: [The name is empty.] } }, The name is empty.]
	ProblemDetails: [{ title: Bad input, status: 400, errors: { Name: [empty] } }, "Bad input: Name: empty"]
	FastAPI: [{ detail: [{ loc: [body, recipients, 0], msg: field required, type: missing }] }, "body.recipients.0: field required"]
	JSON:API: [{ errors: [{ status: "422", detail: too low, source: { pointer: /data/opens } }] }, "/data/opens: too low"]
	RFC 9457: [{ title: Bad input, errors: [{ detail: too low, pointer: "#/opens" }] }, "Bad input: #/opens: too low"]
	Spring Boot without a message: [{ status: 400, error: Bad Request, path: /x }, Bad Request]
`);

it.each(messages)('the message of the service is found: %s', (_shape, [value, words]) => {
	expect(findServiceMessage(value)).toBe(words ?? undefined);
});

it.each<[unknown, string]>([
	[undefined, 'an empty response'],
	['Done', 'text'],
	[[], 'a list'],
	[5, 'the JSON value 5'],
	[null, 'the JSON value null'],
	[{}, 'an empty JSON object'],
	[{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, 'a JSON object with the fields a, b, c, d, e'],
])('what was received is described: %j is %s', (value, words) => {
	expect(describeReceived(value)).toBe(words);
});

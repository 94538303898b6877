import { parseBody } from '../../../../nodes/shared/responses/parseBody';
import {
	describeBody,
	findServiceMessage,
} from '../../../../nodes/shared/responses/serviceMessage';

const said = (body: unknown, type?: string) =>
	findServiceMessage(parseBody(typeof body === 'string' ? body : JSON.stringify(body), type));

describe("the service's message", () => {
	it.each([
		['message', { message: 'No such container' }],
		['message and code', { message: 'No such container', code: 'not_found' }, 'not_found'],
		['a number as code', { message: 'No such container', code: 4041 }, '4041'],
		['error text', { error: 'No such container' }],
		['error object', { error: { message: 'No such container' } }],
		['error and description', { error: 'x', error_description: 'No such container' }],
		['errors as texts', { errors: ['No such container'] }],
		['errors as objects', { errors: [{ detail: 'No such container' }] }],
		['errors by field', { errors: { container_id: ['No such container'] } }],
		['problem details', { type: 'about:blank', title: 'x', detail: 'No such container' }],
		['a title alone', { title: 'No such container', status: 404 }],
		['details of a validator', { detail: [{ loc: ['path'], msg: 'No such container' }] }],
		['a fault', { fault: { faultstring: 'x', message: 'No such container' } }],
		['data', { data: { message: 'No such container' } }],
		['a list', [{ message: 'No such container' }]],
		['text in JSON', '"No such container"'],
		['plain text', 'No such container'],
		['a null before', { message: null, error: { message: 'No such container' } }],
		['an empty text before', { message: '', detail: 'No such container' }],
	])('is found in an error body of the shape: %s', (_shape, body, code = '') => {
		expect(said(body)).toContain('No such container');
		expect(said(body)).toContain(code);
	});

	it.each<[unknown, string | undefined]>([
		[{ errors: [{ message: 'A' }, {}, { message: 'B' }] }, 'A; B'],
		[[...'ABCDEF'], 'A; B; C; D; E'],
		[
			{ errors: { a: 'A', b: 'B', c: 'C', d: 'D', e: 'E', f: 'F' } },
			'a: A; b: B; c: C; d: D; e: E',
		],
		[{ errors: [{ description: 'A' }] }, 'A'],
		[{ reason: 'A' }, 'A'],
		[{ details: 'A' }, 'A'],
		[{ message: ' ', detail: ' A ' }, 'A'],
		[{ detail: { name: 'A' } }, 'name: A'],
		[{ message: { name: 'A' } }, undefined],
		[{ data: { name: ['A'] } }, undefined],
		[{ name: ['A'], count: 3 }, undefined],
		[{ error: { error: { message: 'A' } } }, 'A'],
		[{ error: { error: { error: { message: 'A' } } } }, undefined],
		[{ message: 'A', errors: { name: { message: { message: 'B' } } } }, 'A'],
		[{ message: 'name: A', errors: { name: ['A'] } }, 'name: A'],
		[{ detail: [{ loc: [], msg: 'A' }] }, 'A'],
		[{ message: 'A', errorCode: 'E' }, 'A (E)'],
		...[null, '', true, { a: 1 }].map((code): [unknown, string] => [
			{ message: 'A', code, errorCode: 'E' },
			'A (E)',
		]),
	])('of %j is %j', (body, words) => {
		expect(said(body)).toBe(words);
	});

	it('does not repeat the code', () => {
		expect(said({ message: 'Error 17', code: 17 })).toBe('Error 17');
	});

	it('is only the code when there is nothing else', () => {
		expect(said({ code: 'E_LIMIT' })).toBe('E_LIMIT');
	});

	it.each([
		['nothing', ''],
		['an HTML page', '<html><body>Not found</body></html>'],
		['an empty object', '{}'],
		['null', 'null'],
		['a number', '404'],
		['true', 'true'],
		['an empty list', '[]'],
		['lists in lists', '[[[[[["deep"]]]]]]'],
		['invalid JSON', '{"message": "cut o'],
	])('is missing from %s', (_what, body) => {
		expect(said(body)).toBeUndefined();
	});
});

it.each([
	['', 'an empty response'],
	['Done', 'text'],
	['<html></html>', 'text'],
	['[]', 'a list'],
	['"Done"', 'text in JSON'],
	['5', 'the JSON value 5'],
	['null', 'the JSON value null'],
	['{}', 'an empty JSON object'],
	['{"error":{"code":1}}', 'a JSON object that reports a failure'],
	['{"error":"Not now"}', 'the failure "Not now"'],
	['{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}', 'a JSON object with the fields a, b, c, d, e'],
])('the body %j is described as %s', (text, words) => {
	expect(describeBody(parseBody(text))).toBe(words);
});

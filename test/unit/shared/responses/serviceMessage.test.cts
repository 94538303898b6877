import { toBody } from '../../support/body.cts';
import {
	describeBody,
	findServiceMessage,
} from '../../../../nodes/shared/responses/serviceMessage';

const said = async (body: unknown, type?: string) =>
	findServiceMessage(await toBody(typeof body === 'string' ? body : JSON.stringify(body), type));

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
	])('is found in an error body of the shape: %s', async (_shape, body, code = '') => {
		expect(await said(body)).toContain('No such container');
		expect(await said(body)).toContain(code);
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
		[{ message: { name: 'A' } }, 'name: A'],
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
	])('of %j is %j', async (body, words) => {
		expect(await said(body)).toBe(words);
	});

	it('does not repeat the code', async () => {
		expect(await said({ message: 'Error 17', code: 17 })).toBe('Error 17');
	});

	it('is only the code when there is nothing else', async () => {
		expect(await said({ code: 'E_LIMIT' })).toBe('E_LIMIT');
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
	])('is missing from %s', async (_what, body) => {
		expect(await said(body)).toBeUndefined();
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
	['[{"error":"Not now"}]', 'a list'],
	['{}', 'an empty JSON object'],
	['{"error":{"code":1}}', 'a JSON object that reports a failure'],
	['{"error":"Not now"}', 'the failure "Not now"'],
	['{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}', 'a JSON object with the fields a, b, c, d, e'],
])('the body %j is described as %s', async (text, words) => {
	expect(describeBody(await toBody(text))).toBe(words);
});

it.each([
	['Error: locked', 'failed', 'the failure "Error: locked"'],
	['[{"error":"Not now"}]', 'failed', 'the failure "Not now"'],
	['{"deletedCount":0}', 'failed', 'a JSON object that reports a failure'],
	['{"id":"job-1"}', 'pending', 'a response that says that it is not done yet'],
] as const)('the body %j that says %s is described as %s', async (text, outcome, words) => {
	expect(describeBody(await toBody(text), outcome)).toBe(words);
});

describe('the message of a service with field errors', () => {
	it.each([
		[
			'ProblemDetails',
			{ title: 'Bad input', status: 400, errors: { Name: ['is required'], Opens: ['too large'] } },
			'Bad input Name: is required; Opens: too large',
		],
		[
			'FastAPI',
			{ detail: [{ loc: ['body', 'name'], msg: 'field required', type: 'missing' }] },
			'body.name: field required',
		],
		[
			'Laravel',
			{ message: 'The given data was invalid.', errors: { name: ['The name field is required.'] } },
			'The given data was invalid. name: The name field is required.',
		],
		['Django REST', { name: ['This field is required.'] }, 'name: This field is required.'],
		[
			'ASP.NET Web API',
			{ Message: 'The request is invalid.', ModelState: { 'rules.Opens': ['Must be positive.'] } },
			'The request is invalid. rules.Opens: Must be positive.',
		],
		['Rails', { errors: { email: ["can't be blank"] } }, "email: can't be blank"],
		[
			'Spring Boot',
			{ timestamp: 'x', status: 422, error: 'Bad', trace: 'java.lang', message: 'Too large' },
			'Too large',
		],
		[
			'Spring Boot without a message',
			{ status: 400, error: 'Bad Request', path: '/x' },
			'Bad Request',
		],
		[
			'Spring Data REST',
			{ errors: [{ entity: 'Contact', property: 'email', message: 'is no address' }] },
			'is no address',
		],
		[
			'OAuth',
			{ error: 'insufficient_scope', error_description: 'Needs the scope write' },
			'Needs the scope write',
		],
		[
			'ABP',
			{ error: { code: 'App:017', message: 'Not for you', details: null, data: {} } },
			'Not for you',
		],
		['FastAPI with an object', { detail: { reason: 'locked', by: 7 } }, 'locked'],
		[
			'JSON:API',
			{ errors: [{ status: '422', title: 'Invalid', detail: 'Email is taken', source: {} }] },
			'Email is taken',
		],
		['grpc-gateway', { code: 5, message: 'no such box', details: [] }, 'no such box (5)'],
		['PHP', { message: 'Too large', errors: [] }, 'Too large'],
	])('of %s names the fields', async (_framework, body, message) => {
		expect(await said(body)).toBe(message);
	});

	it('quotes the title of an HTML page', async () => {
		const page = '<!doctype html><title>407 Proxy Authentication Required</title>';
		expect(await said(page)).toBe('HTML page "407 Proxy Authentication Required"');
	});
});

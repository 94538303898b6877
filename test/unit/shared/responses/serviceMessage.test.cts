import { parseBody } from '../../../../nodes/shared/responses/parseBody';
import { findServiceMessage } from '../../../../nodes/shared/responses/serviceMessage';

const said = (body: unknown, type?: string) =>
	findServiceMessage(parseBody(typeof body === 'string' ? body : JSON.stringify(body), type));

describe("the service's own words", () => {
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
		['text over lines', 'No  such\n\tcontainer\n'],
		['a null before', { message: null, error: { message: 'No such container' } }],
		['an empty text before', { message: '', detail: 'No such container' }],
	])('are found in an error body of the shape: %s', (_shape, body, code = '') => {
		expect(said(body)).toContain('No such container');
		expect(said(body)).toContain(code);
	});

	it('are those of several errors', () => {
		expect(said({ errors: [{ message: 'A' }, { message: 'B' }] })).toBe('A; B');
	});

	it('do not repeat the code', () => {
		expect(said({ message: 'Error 17', code: 17 })).toBe('Error 17');
	});

	it('are the code alone where there is no more', () => {
		expect(said({ code: 'E_LIMIT' })).toBe('E_LIMIT');
	});

	it('are one line of at most 500 characters', () => {
		const line = said({ message: 'a\nb'.repeat(1000) }) ?? '';
		expect(line).toHaveLength(501);
		expect(line).not.toContain('\n');
	});

	it.each([
		['nothing', ''],
		['a web page', '<html><body>Not found</body></html>'],
		['an empty object', '{}'],
		['null', 'null'],
		['a number', '404'],
		['true', 'true'],
		['an empty list', '[]'],
		['lists in lists', '[[[[[["deep"]]]]]]'],
		['broken JSON', '{"message": "cut o'],
	])('are missing from %s', (_what, body) => {
		expect(said(body)).toBeUndefined();
	});
});

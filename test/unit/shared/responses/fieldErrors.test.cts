import { parseBody } from '../../../../nodes/shared/responses/parseBody';
import { findServiceMessage } from '../../../../nodes/shared/responses/serviceMessage';

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
	])('of %s names the fields', (_framework, body, message) => {
		expect(findServiceMessage(parseBody(JSON.stringify(body)))).toBe(message);
	});

	it('quotes the title of an HTML page', () => {
		const body = parseBody('<!doctype html><title>407 Proxy Authentication Required</title>');
		expect(findServiceMessage(body)).toBe('HTML page "407 Proxy Authentication Required"');
	});
});

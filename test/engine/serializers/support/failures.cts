export interface FailureRow {
	stack: string;
	shape: string;
	status: number;
	body: string;
	type?: string;
	/** What the node must tell of it. */
	told: RegExp;
}

const JSON_TYPE = 'application/json; charset=utf-8';

const row = (
	stack: string,
	shape: string,
	status: number,
	body: unknown,
	told: RegExp,
	type = JSON_TYPE,
): FailureRow => ({
	stack,
	shape,
	status,
	body: typeof body === 'string' ? body : JSON.stringify(body),
	type,
	told,
});

const PROBLEM = 'application/problem+json';
const TIME = '2026-11-22T01:02:03.456+00:00';
const path = '/api/v1/containers';

/** How several stacks write an error. */
export const ERRORS: FailureRow[] = [
	row(
		'Spring Boot',
		'default error',
		400,
		{ timestamp: TIME, status: 400, error: 'Bad Request', path },
		/Bad Request/,
	),
	row(
		'Spring Boot',
		'default error with a message',
		422,
		{
			timestamp: TIME,
			status: 422,
			error: 'Unprocessable Entity',
			trace: 'java.lang.RuntimeException',
			message: 'opens is too large',
			path,
		},
		/opens is too large/,
	),
	row(
		'Spring Boot',
		'validation',
		400,
		{
			status: 400,
			error: 'Bad Request',
			message: "Validation failed for object='rules'. Error count: 1",
			errors: [{ defaultMessage: 'must be positive', field: 'opens', code: 'Positive' }],
		},
		/Validation failed for object='rules'/,
	),
	row(
		'Spring',
		'ProblemDetail',
		400,
		{
			type: 'about:blank',
			title: 'Bad Request',
			status: 400,
			detail: 'No such rule',
			instance: path,
		},
		/No such rule/,
		PROBLEM,
	),
	row(
		'Spring Data REST',
		'validation',
		400,
		{
			errors: [
				{ entity: 'Contact', property: 'email', invalidValue: 'x', message: 'is no address' },
			],
		},
		/is no address/,
	),
	row(
		'Spring Security',
		'OAuth error',
		403,
		{ error: 'insufficient_scope', error_description: 'Needs the scope write' },
		/Needs the scope write/,
	),
	row('Spring Security', 'nothing', 403, '', /no permission/, ''),
	row(
		'.NET',
		'ProblemDetails with errors',
		400,
		{
			type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
			title: 'One or more validation errors occurred.',
			status: 400,
			errors: { '$.opens': ['The JSON value could not be converted to System.Int32.'] },
			traceId: '00-1f-2e-00',
		},
		/validation errors occurred\. \$\.opens: The JSON value could not be converted/,
		PROBLEM,
	),
	row(
		'ASP.NET Web API',
		'error in PascalCase',
		400,
		{ Message: 'The request is invalid.', ModelState: { 'rules.Opens': ['Must be positive.'] } },
		/The request is invalid\. rules\.Opens: Must be positive\./,
	),
	row(
		'ASP.NET Web API',
		'exception in PascalCase',
		422,
		{ Message: 'An error has occurred.', ExceptionMessage: 'Sequence contains no elements' },
		/An error has occurred\./,
	),
	row(
		'.NET',
		'ABP',
		403,
		{ error: { code: 'App:017', message: 'Not for you', details: null, data: {} } },
		/Not for you/,
	),
	row('Django REST', 'detail', 404, { detail: 'Not found here.' }, /Not found here\./),
	row(
		'Django REST',
		'errors by field',
		400,
		{ email: ['Enter a valid email address.'], non_field_errors: ['Too many.'] },
		/email: Enter a valid email address\.; non_field_errors: Too many\./,
	),
	row('Django REST', 'list of errors', 400, ['Too many contacts.'], /Too many contacts\./),
	row(
		'Django',
		'page',
		400,
		'<!doctype html><title>Bad Request (400)</title>',
		/Bad Request \(400\)/,
		'text/html',
	),
	row(
		'Laravel',
		'validation',
		422,
		{
			message: 'The email field is required. (and 1 more error)',
			errors: { email: ['The email field is required.'], name: ['Too long.'] },
		},
		/\(and 1 more error\) email: The email field is required\.; name: Too long\./,
	),
	row(
		'Laravel',
		'message',
		404,
		{ message: 'No query results for model [App\\Models\\Box] 7' },
		/No query results/,
	),
	row('Go', 'http.Error', 400, 'invalid rules\n', /invalid rules/, 'text/plain; charset=utf-8'),
	row('Go', 'Gin', 422, { error: 'invalid rules' }, /invalid rules/),
	row('Go', 'Echo', 422, { message: 'invalid rules' }, /invalid rules/),
	row(
		'FastAPI',
		'validation',
		422,
		{
			detail: [
				{ type: 'missing', loc: ['body', 'opens'], msg: 'Field required', input: {} },
				{ type: 'int_type', loc: ['body', 'list', 0], msg: 'Not a number', input: 'x' },
			],
		},
		/body\.opens: Field required; body\.list\.0: Not a number/,
	),
	row('FastAPI', 'HTTPException', 404, { detail: 'Nothing here' }, /Nothing here/),
	row(
		'FastAPI',
		'HTTPException with an object',
		409,
		{ detail: { reason: 'locked', by: 7 } },
		/locked/,
	),
	row('PHP', 'code as text', 400, { error: { code: '17', message: 'Too large' } }, /Too large/),
	row(
		'PHP',
		'empty array for an empty object',
		400,
		{ message: 'Too large', errors: [] },
		/Too large/,
	),
	row(
		'Rails',
		'errors by field',
		422,
		{ errors: { email: ["can't be blank"] } },
		/email: can't be blank/,
	),
	row('Rails', 'bare errors by field', 422, { email: ["can't be blank"] }, /email: can't be blank/),
	row('Rails', 'full messages', 422, { errors: ["Email can't be blank"] }, /Email can't be blank/),
	row('Rails', 'exceptions app', 404, { status: 404, error: 'Not Found' }, /Not Found/),
	row(
		'Rails',
		'JSON:API',
		422,
		{ errors: [{ status: '422', title: 'Invalid', detail: 'Email is taken', source: {} }] },
		/Email is taken/,
		'application/vnd.api+json',
	),
	row(
		'protobuf',
		'google.rpc.Status',
		400,
		{ error: { code: 400, message: 'Unknown rule', status: 'INVALID_ARGUMENT', details: [] } },
		/Unknown rule/,
	),
	row(
		'protobuf',
		'grpc-gateway',
		404,
		{ code: 5, message: 'no such box', details: [] },
		/no such box \(5\)/,
	),
];

/** How they write a failure with a status of success. */
export const FAILURES: FailureRow[] = [
	row('Spring', 'status in the body', 200, { status: 403, message: 'Locked' }, /"Locked"/),
	row('Spring', 'result object', 200, { code: 500, msg: 'Locked', data: null }, /"Locked/),
	row(
		'.NET',
		'ABP',
		200,
		{ result: null, success: false, error: { message: 'Locked' } },
		/"Locked"/,
	),
	row('.NET', 'PascalCase', 200, { Success: false, Message: 'Locked' }, /"Locked"/),
	row(
		'.NET',
		'IdentityResult',
		200,
		{ succeeded: false, errors: [{ description: 'Locked' }] },
		/"Locked"/,
	),
	row('.NET', 'result object', 200, { isSuccess: false, message: 'Locked' }, /"Locked"/),
	row('Laravel', 'status', 200, { status: false, message: 'Locked' }, /"Locked"/),
	row('Laravel', 'JSend', 200, { status: 'fail', message: 'Locked' }, /"Locked"/),
	row('PHP', 'flag as text', 200, { success: '0', message: 'Locked' }, /"Locked"/),
	row('PHP', 'flag as a number', 200, { success: 0, message: 'Locked' }, /"Locked"/),
	row('Go', 'error field', 200, { error: 'Locked' }, /"Locked"/),
	row('Rails', 'errors', 200, { errors: ['Locked'] }, /"Locked"/),
	row('Spring', 'boolean', 200, 'false', /the JSON value false/),
	row('Laravel', 'number of rows', 200, '0', /the JSON value 0/),
];

export interface SuccessRow {
	stack: string;
	shape: string;
	status: number;
	body: string;
}

/** How they answer a change that was made, without a record. */
export const SUCCESSES: SuccessRow[] = [
	{ stack: 'Spring', shape: 'void', status: 200, body: '' },
	{ stack: 'Spring', shape: 'boolean', status: 200, body: 'true' },
	{ stack: '.NET', shape: 'NoContent()', status: 204, body: '' },
	{ stack: '.NET', shape: 'PascalCase', status: 200, body: '{"Success":true,"Errors":[]}' },
	{ stack: '.NET', shape: 'ABP', status: 200, body: '{"result":null,"success":true,"error":null}' },
	{ stack: 'Django REST', shape: 'no content', status: 204, body: '' },
	{ stack: 'Laravel', shape: 'number of rows', status: 200, body: '1' },
	{ stack: 'Laravel', shape: 'status', status: 200, body: '{"status":true,"data":[]}' },
	{ stack: 'Go', shape: 'null', status: 200, body: 'null\n' },
	{ stack: 'Go', shape: 'text', status: 202, body: 'ok' },
	{ stack: 'FastAPI', shape: 'null', status: 200, body: 'null' },
	{ stack: 'PHP', shape: 'empty array', status: 200, body: '[]' },
	{
		stack: 'PHP',
		shape: 'flags as text',
		status: 200,
		body: '{"success":"1","error":"","errors":[]}',
	},
	{ stack: 'protobuf', shape: 'Empty', status: 200, body: '{}' },
];

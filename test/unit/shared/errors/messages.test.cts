import type { RequestFailure } from '../../../../nodes/shared/errors/failure';
import type { RequestSubject } from '../../../../nodes/shared/errors/messages';
import { getErrorMessage } from '../../../../nodes/shared/errors/messages';

const subject: RequestSubject = {
	action: 'get the container',
	origin: 'https://share.example.com',
	attempts: 1,
};
const status = (code: number, more: object = {}): RequestFailure => ({
	kind: 'status',
	status: code,
	serviceMessage: 'Words of the service',
	...more,
});
const reason = (
	name: Extract<RequestFailure, { kind: 'network' }>['reason'],
	code = 'E_CODE',
): RequestFailure => ({
	kind: 'network',
	reason: name,
	code,
});

const table: Array<[string, RequestFailure, Partial<RequestSubject>, RegExp, RegExp]> = [
	['400', status(400), {}, /did not accept the request to get the container: Words/, /parameters/],
	['422', status(422), {}, /did not accept the request to get the container: Words/, /parameters/],
	['401', status(401), {}, /did not accept the API key/, /Configuration > API Keys/],
	['403', status(403), {}, /API key has no permission to get the container/, /permissions/],
	[
		'404 of a container',
		status(404),
		{ containerId: 'c-1' },
		/container "c-1" was not found/,
		/deleted/,
	],
	[
		'404 of a contact',
		status(404),
		{ contactEmail: 'a@x' },
		/contact "a@x" was not found/,
		/deleted/,
	],
	[
		'404 of something else',
		status(404),
		{},
		/Nothing found here for the request to get the container/,
		/Base URL/,
	],
	['409', status(409), {}, /can't get the container in the current state/, /Allow Changes Later/],
	[
		'413',
		status(413),
		{ uploadSize: 12_345_678 },
		/larger than the service accepts \(12\.3 MB in total\)/,
		/fewer or smaller/,
	],
	[
		'413 of a small upload',
		status(413),
		{ uploadSize: 12 },
		/\(1 kB in total\)/,
		/fewer or smaller/,
	],
	[
		'429',
		status(429, { retryAfter: '7' }),
		{ attempts: 6 },
		/received too many requests/,
		/Retry-After: 7\).*Max Retries.*Tried 6 times/,
	],
	[
		'500',
		status(500),
		{ attempts: 2 },
		/could not get the container \(status 500\)/,
		/later.*Tried 2 times/,
	],
	['503', status(503), {}, /could not get the container \(status 503\)/, /later(?!.*Tried)/],
	['418', status(418), {}, /refused to get the container \(status 418\)/, /Words of the service/],
	[
		'a redirect',
		status(302, { location: 'https://login.example.com/' }),
		{},
		/redirected the request to another URL/,
		/https:\/\/login\.example\.com\//,
	],
	['a redirect to nowhere', status(304), {}, /redirected the request to another URL/, /Base URL/],
	[
		'a refused connection',
		reason('refused'),
		{},
		/Could not connect to https:\/\/share\.example\.com/,
		/host and port/,
	],
	[
		'an unknown host name',
		reason('nameNotFound'),
		{},
		/host name of https:\/\/share\.example\.com was not found/,
		/typos/,
	],
	[
		'a certificate',
		reason('certificate', 'CERT_HAS_EXPIRED'),
		{},
		/certificate of .* is not trusted \(CERT_HAS_EXPIRED\)/,
		/NODE_EXTRA_CA_CERTS/,
	],
	['plain HTTP', reason('notHttps'), {}, /doesn't support HTTPS/, /port/],
	[
		'a timeout',
		reason('timeout'),
		{ attempts: 3 },
		/did not respond in time to the request to get the container/,
		/Timeout.*Tried 3 times/,
	],
	[
		'a response that took too long',
		{ kind: 'network', reason: 'timeout', code: 'ETIMEDOUT', seconds: 60 },
		{ attempts: 3 },
		/did not send a complete response within 60 seconds to the request to get the container/,
		/Options > Response Timeout\..*Tried 3 times/,
	],
	[
		'a response that is too long',
		{ kind: 'tooLarge', maxBytes: 8_000_000 },
		{},
		/returned more than 8 MB for the request to get the container/,
		/stopped reading/,
	],
	[
		'a lost response to a change',
		reason('reset'),
		{ isChange: true },
		/closed the connection/,
		/\. The service might have made the change\.$/,
	],
	[
		'a failure that the service reports after a change',
		{ kind: 'unexpected', expected: 'a record', received: 'an error' },
		{ isChange: true },
		/returned an error instead of a record/,
		/operator of the service\.$/,
	],
	[
		'a change that is refused',
		status(403),
		{ isChange: true },
		/no permission/,
		/^(?!.*might have made).*$/,
	],
	['a cancellation', reason('cancelled'), {}, /execution was canceled/, /stopped the request/],
	['a reset', reason('reset'), {}, /closed the connection before it responded/, /again later/],
	[
		'a reset in an upload',
		reason('reset'),
		{ uploadSize: 5_000_000 },
		/closed the connection during the upload \(5\.0 MB in total\)/,
		/larger than the service accepts/,
	],
	['anything else', reason('other'), {}, /failed \(E_CODE\)/, /network/],
	['an HTML page', { kind: 'html' }, {}, /HTML page instead of an API response/, /Base URL/],
	[
		'incomplete JSON',
		{ kind: 'invalidJson', reason: 'it ends too early' },
		{},
		/invalid JSON for the request to get the container: it ends too early/,
		/cut off/,
	],
	[
		'an unexpected response',
		{ kind: 'unexpected', expected: 'a list', received: 'text' },
		{},
		/returned text instead of a list/,
		/Base URL/,
	],
];

describe('the message for', () => {
	it.each(table)(
		'%s says what happened and what to do',
		(_what, failure, more, message, description) => {
			const details = getErrorMessage(failure, { ...subject, ...more });
			expect(details.message).toMatch(message);
			expect(details.description).toMatch(description);
		},
	);

	it.each(table)('%s consists of complete sentences', (_what, failure, more) => {
		const details = getErrorMessage(failure, { ...subject, ...more });
		expect(details.message).toMatch(/^\S.*\S$/);
		expect(details.message).not.toMatch(/\.$/);
		expect(details.description).toMatch(/[.?!)]$/);
		expect(`${details.message} ${details.description}`).not.toMatch(
			/undefined|null|NaN|\[object|Bearer/,
		);
	});

	it.each(table.filter(([, failure]) => failure.kind === 'status' && failure.status >= 400))(
		"%s contains the service's message",
		(_what, failure, more) => {
			const details = getErrorMessage(failure, { ...subject, ...more });
			expect(`${details.message} ${details.description}`).toContain('Words of the service');
		},
	);

	it.each([400, 404, 500])('status %i says so when the service gave no reason', (code) => {
		const details = getErrorMessage({ kind: 'status', status: code }, subject);
		expect(`${details.message} ${details.description}`).toContain(`status ${code}`);
	});
});

describe('an upload whose outcome is unknown', () => {
	const creates = {
		...subject,
		action: 'encode the files',
		createsContainer: true,
		containerName: 'Invoice',
	};

	it.each<[string, RequestFailure]>([
		['a reset', reason('reset')],
		['a timeout', reason('timeout')],
		['an unknown network error', reason('other')],
		['status 408', status(408)],
		['status 500', status(500)],
		['status 502', status(502)],
		['status 504', status(504)],
		['an HTML page', { kind: 'html' }],
		['incomplete JSON', { kind: 'invalidJson', reason: 'x' }],
		['an unexpected response', { kind: 'unexpected', expected: 'a', received: 'b' }],
	])('can have created a container, which the message says, after %s', (_what, failure) => {
		expect(getErrorMessage(failure, creates).description).toMatch(
			/might have been created.*"Invoice".*Get Many.*Reuse Existing/,
		);
	});

	it.each<[string, RequestFailure]>([
		['status 400', status(400)],
		['status 413', status(413)],
		['status 429', status(429)],
		['a refused connection', reason('refused')],
		['an unknown host name', reason('nameNotFound')],
		['a certificate', reason('certificate')],
	])('differs from one that cannot have created a container: %s', (_what, failure) => {
		expect(getErrorMessage(failure, creates).description).not.toContain('might have been created');
	});
});

it.each([
	['Invoice 2026-0042', true],
	['Invoice', true],
	['quarterly-report', true],
	['Annual_Report', true],
	['größe-1', true],
	['statement2026.pdf', true],
	['5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90', false],
	['c-1', false],
	['v2.alpha-7', false],
	['507f1f77bcf86cd799439011', false],
	['V1StGXR8_Z5jdHi6B-myT', false],
	['kXbZqWmn', false],
])('an ID that was not found, %j, looks like a name: %s', (containerId, isName) => {
	const { description } = getErrorMessage(status(404), { ...subject, containerId });

	expect(description.includes(`"${containerId}" looks like a name`)).toBe(isName);
});

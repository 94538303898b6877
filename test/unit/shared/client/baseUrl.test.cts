import { normalizeBaseUrl } from '../../../../nodes/shared/client/baseUrl';

const base = 'https://share.example.com/api/v1';

describe('the base URL', () => {
	it.each([base, `${base}/`, `${base}///`, `  ${base} `, `${base}/ \n`, `${base} / `])(
		'%j is normalized',
		(entered) => {
			expect(normalizeBaseUrl(entered)).toBe(base);
		},
	);

	it.each([
		'https://share.example.com/@tenant/api/v1',
		'https://localhost:8443/api/v1',
		'https://[::1]:8443/api/2026-01-01',
		'https://x.example/HTTPS:@/api/v1',
		`https://x.example/${'a'.repeat(2000 - 'https://x.example/'.length)}`,
	])('can be %s', (entered) => {
		expect(normalizeBaseUrl(entered)).toBe(entered);
	});

	it.each(['HTTPS://x.example/api/v1', 'Https://x.example/api/v1'])(
		'has its scheme in lower case: %s',
		(entered) => {
			expect(normalizeBaseUrl(entered)).toBe('https://x.example/api/v1');
		},
	);

	it.each([
		['', 'is empty'],
		['   ', 'is empty'],
		['/', 'is empty'],
		[undefined, 'is empty'],
		[42, 'is empty'],
		['share.example.com/api/v1', 'is not a valid URL'],
		['https://', 'is not a valid URL'],
		[`https://x.example/${'a'.repeat(2000)}`, 'is longer than 2000 characters'],
		['https://exa mple.com', 'is not a valid URL'],
		['http://share.example.com/api/v1', 'does not start with https://'],
		['ftp://share.example.com', 'does not start with https://'],
		['javascript:alert(1)', 'is not a valid URL'],
		['https://user:secret@share.example.com/api/v1', 'contains a user name, a query or a fragment'],
		['https://user@share.example.com/api/v1', 'contains a user name, a query or a fragment'],
		['https://share.example.com/api/v1?key=1', 'contains a user name, a query or a fragment'],
		['https://share.example.com/api/v1?', 'contains a user name, a query or a fragment'],
		['https://share.example.com/api/v1#', 'contains a user name, a query or a fragment'],
		['https://@share.example.com/api/v1', 'contains a user name, a query or a fragment'],
		['https://:@share.example.com/api/v1', 'contains a user name, a query or a fragment'],
		['https:@share.example.com/api/v1', 'contains a user name, a query or a fragment'],
		['https://share.example.com\\api\\v1', 'is not a valid URL'],
		['https://share.exa\nmple.com/api/v1', 'is not a valid URL'],
		['https://share.example.com/api/v1#top', 'contains a user name, a query or a fragment'],
	])('is rejected when it is %j: it %s', (entered, message) => {
		expect(() => normalizeBaseUrl(entered)).toThrow(`The Base URL in the credential ${message}`);
	});

	it.each([
		['', /enter the URL of the API with its version, for example https:\/\/share\.example\.com/],
		[
			'http://x.example',
			/sends the API key only over HTTPS\. .* a Base URL that starts with https/,
		],
		[
			'https://x.example?a',
			/^Remove the user name .* look like https:\/\/share\.example\.com\/api/,
		],
	])('comes with advice when it is %j', (entered, advice) => {
		expect(() => normalizeBaseUrl(entered)).toThrow(
			expect.objectContaining({ description: expect.stringMatching(advice) }),
		);
	});
});

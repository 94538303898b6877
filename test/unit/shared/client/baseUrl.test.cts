import { normalizeBaseUrl } from '../../../../nodes/shared/client/baseUrl';

const base = 'https://share.example.com/api/v1';
const ofLength = (length: number) => `https://x.example/${'a'.repeat(length - 18)}`;

describe('the base URL', () => {
	it.each([
		[base, base],
		[`${base}/`, base],
		[`  ${base}/// \n/ `, base],
		['HTTPS://x.example/api/v1', 'https://x.example/api/v1'],
		...[
			'https://share.example.com/@tenant/api/v1',
			'https://[::1]:8443/api/2026-01-01',
			'https://x.example/HTTPS:@/api/v1',
			ofLength(2000),
		].map((url) => [url, url]),
	])('%j is %j', (entered, url) => {
		expect(normalizeBaseUrl(entered)).toBe(url);
	});

	const extra = 'contains a user name, a query or a fragment';

	it.each([
		...['', '   ', '/', undefined, 42].map((value) => [value, 'is empty']),
		...[
			'share.example.com/api/v1',
			'https://',
			'https://exa mple.com',
			'javascript:alert(1)',
			'https://share.example.com\\api\\v1',
			'https://share.exa\nmple.com/api/v1',
		].map((value) => [value, 'is not a valid URL']),
		[ofLength(2001), 'is longer than 2000 characters'],
		['http://share.example.com/api/v1', 'does not start with https://'],
		['ftp://share.example.com', 'does not start with https://'],
		...['user:secret@', 'user@', '@', ':@'].map((user) => [`https://${user}x.example/v1`, extra]),
		['https:@x.example/v1', extra],
		...['?key=1', '?', '#', '#top'].map((rest) => [`${base}${rest}`, extra]),
	])('%j is refused: it %s', (entered, message) => {
		expect(() => normalizeBaseUrl(entered)).toThrow(`The Base URL in the credential ${message}`);
	});

	it.each([
		['', /enter the URL of the API with its version, for example https:\/\/share\.example\.com/],
		['http://x.example', /only over HTTPS\. .* a Base URL that starts with https/],
		[
			'https://x.example?a',
			/^Remove the user name .* look like https:\/\/share\.example\.com\/api/,
		],
	])('%j comes with advice', (entered, advice) => {
		expect(() => normalizeBaseUrl(entered)).toThrow(
			expect.objectContaining({ description: expect.stringMatching(advice) }),
		);
	});
});

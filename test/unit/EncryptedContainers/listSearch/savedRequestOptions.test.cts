import { parseSavedRequestOptions } from '../../../../nodes/EncryptedContainers/listSearch/savedRequestOptions';

const host = 'proxy.example.com';

describe('the Request Options of a picker', () => {
	it.each<[unknown, object]>([
		[undefined, {}],
		[{}, {}],
		[{ proxy: '', timeout: '' }, {}],
		[{ proxy: '={{ $json.proxy }}', timeout: '={{ 300 }}' }, {}],
		[{ timeout: 300 }, { timeout: 300 }],
		[{ timeout: '300' }, { timeout: 300 }],
		[{ proxy: `http://${host}:3128` }, { proxy: { protocol: 'http', host, port: 3128 } }],
		[{ proxy: ` http://${host} ` }, { proxy: { protocol: 'http', host, port: 80 } }],
		[{ proxy: `https://${host}` }, { proxy: { protocol: 'https', host, port: 443 } }],
		[
			{ proxy: `http://anna%40x:p%3Ass@${host}` },
			{
				proxy: {
					protocol: 'http',
					host,
					port: 80,
					auth: { username: 'anna@x', password: 'p:ss' },
				},
			},
		],
	])('%j are %j', (saved, parsed) => {
		expect(parseSavedRequestOptions(saved)).toEqual(parsed);
	});

	it.each([host, `${host}:3128`, 'http://', 5, [`http://${host}`]])(
		'can have no proxy %j',
		(proxy) => {
			expect(() => parseSavedRequestOptions({ proxy })).toThrow(
				expect.objectContaining({
					message: '"Proxy" is not a URL',
					description: expect.stringMatching(/^Enter a URL .* Request Options > Proxy\.$/),
				}),
			);
		},
	);

	it.each([0, 'soon'])('can have no timeout %j', (timeout) => {
		expect(() => parseSavedRequestOptions({ timeout })).toThrow(
			'"Timeout" must be a whole number, 1 or more',
		);
	});
});

import { parseRequestOptions } from '../../../../nodes/EncryptedContainers/parameters/requestOptions';

const host = 'proxy.example.com';
const proxyOf = (protocol: string, port: number, more = {}) => ({
	proxy: { protocol, host, port, ...more },
});
const batch = (batchSize: unknown, batchInterval: unknown) => ({
	batching: { batch: { batchSize, batchInterval } },
});

it.each<[unknown, object]>([
	[undefined, {}],
	[null, {}],
	[{}, {}],
	[{ proxy: '', timeout: '', batching: {}, allowUnauthorizedCerts: false }, {}],
	[{ proxy: null, timeout: null }, {}],
	[{ proxy: ' ', timeout: ' ' }, {}],
	[{ timeout: 300 }, { timeout: 300 }],
	[{ timeout: ' 300 ' }, { timeout: 300 }],
	[{ timeout: 0 }, {}],
	[{ timeout: 2_147_483_647 }, { timeout: 2_147_483_647 }],
	[{ proxy: `http://${host}:3128` }, proxyOf('http', 3128)],
	[{ proxy: ` http://${host} ` }, proxyOf('http', 80)],
	[{ proxy: `https://${host}` }, proxyOf('https', 443)],
	[
		{ proxy: `http://anna%40x:p%3Ass%25@${host}` },
		proxyOf('http', 80, { auth: { username: 'anna@x', password: 'p:ss%' } }),
	],
])('the Request Options %j mean %j for each request', (entered, expected) => {
	expect(parseRequestOptions(entered).requestOptions).toEqual(expected);
});

it.each([
	[{}, { size: 1, interval: 0 }],
	[batch('', ''), { size: 1, interval: 0 }],
	[batch(null, null), { size: 1, interval: 0 }],
	[batch('10', ' 20 '), { size: 10, interval: 20 }],
	[batch(0, 20), { size: 1, interval: 20 }],
	[batch('-1', '20'), { size: Number.POSITIVE_INFINITY, interval: 20 }],
])('the Request Options %j mean batches of %j', (entered, batching) => {
	expect(parseRequestOptions(entered).batching).toEqual(batching);
});

it.each<[string, RegExp, ...unknown[]]>([
	[
		'"Proxy" is not a URL with http:// or https://',
		/^Enter a URL .* Request Options > Proxy\. Encode a percent sign as %25\.$/,
		...[host, `${host}:3128`, 'http://', `http://anna:100%@${host}`, 5].map((proxy) => ({ proxy })),
		...['shttp', 'http2', 'socks5'].map((scheme) => ({ proxy: `${scheme}://${host}` })),
	],
	['"Timeout" must be', /./, ...[-1, 1.5, 'soon', 2 ** 31].map((timeout) => ({ timeout }))],
	['"Items per Batch" must be', /./, batch(-2, 20), batch('many', 20)],
	['"Batch Interval (ms)" must be', /./, batch(1, -1)],
	[
		`"Ignore SSL Issues (Insecure)" can't be turned on in the node`,
		/turn it on in the credential/,
		{ allowUnauthorizedCerts: true },
	],
])('an error says %s', (message, description, ...refused) => {
	for (const options of refused) {
		const parse = () => parseRequestOptions(options);
		expect(parse).toThrow(message);
		expect(parse).toThrow(
			expect.objectContaining({ description: expect.stringMatching(description) }),
		);
	}
});

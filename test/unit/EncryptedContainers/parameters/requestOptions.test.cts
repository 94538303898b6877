import { parseRequestOptions } from '../../../../nodes/EncryptedContainers/parameters/requestOptions';

const host = 'proxy.example.com';
const batch = (batchSize: unknown, batchInterval: unknown) => ({
	batching: { batch: { batchSize, batchInterval } },
});

it.each<[unknown, object]>([
	...[undefined, null, {}, { proxy: null, timeout: ' ', allowUnauthorizedCerts: false }].map(
		(none): [unknown, object] => [none, {}],
	),
	[{ timeout: ' 300 ' }, { timeout: 300 }],
	[{ timeout: 0 }, {}],
	[{ timeout: 2_147_483_647 }, { timeout: 2_147_483_647 }],
	// n8n ignores a proxy in another form than these, and the request would go past it.
	[{ proxy: ` http:/${host}:3128 ` }, { proxy: `http://${host}:3128/` }],
	[{ proxy: `HTTPS://${host}` }, { proxy: `https://${host}/` }],
])('the Request Options %j mean %j for each request', (entered, expected) => {
	expect(parseRequestOptions(entered).requestOptions).toEqual(expected);
});

it.each([
	[{}, 1, 0],
	[batch('', null), 1, 0],
	[batch('10', ' 20 '), 10, 20],
	[batch(0, 20), 1, 20],
	[batch('-1', '20'), Infinity, 20],
])('the Request Options %j mean batches of %j, %j ms apart', (entered, size, interval) => {
	expect(parseRequestOptions(entered).batching).toEqual({ size, interval });
});

const wrongProxies = [host, `${host}:3128`, 'http://', `http://anna:100%@${host}`, 5];

it.each<[string, RegExp, ...unknown[]]>([
	[
		'"Proxy" is not a URL with http:// or https://',
		/^Enter a URL .* Request Options > Proxy\. Encode a percent sign as %25\.$/,
		...[...wrongProxies, `shttp://${host}`, `socks5://${host}`].map((proxy) => ({ proxy })),
	],
	['"Timeout" must be', /./, ...[-1, 1.5, 'soon', 2 ** 31].map((timeout) => ({ timeout }))],
	['"Items per Batch" must be', /./, batch(-2, 20), batch('many', 20)],
	['"Batch Interval (ms)" must be', /./, batch(1, -1)],
	[`can't be turned on in the node`, /turn it on in the cred/, { allowUnauthorizedCerts: true }],
])('an error says %s', (message, description, ...refused) => {
	for (const options of refused) {
		expect(() => parseRequestOptions(options)).toThrow(
			expect.objectContaining({
				message: expect.stringContaining(message),
				description: expect.stringMatching(description),
			}),
		);
	}
});

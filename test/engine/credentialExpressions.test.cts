import { defaultCredentials, runNode, storedRecord } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { containerId, sequential, userId } from './support/parameters.cts';

const service = mockService();
const { apiKey } = defaultCredentials;
const leak = '={{ $credentials.apiKey }}';
const options = { userId, ...sequential };
const get = { resource: 'container', operation: 'get', containerId: containerId('c-1'), options };
const encode = {
	resource: 'container',
	operation: 'encode',
	fileSource: 'text',
	textContent: 'A text',
	name: 'Invoice',
	options,
};

describe('a parameter that names $credentials', () => {
	it.each<[string, object]>([
		['containerId > value', { ...get, containerId: containerId(leak) }],
		[
			'options > userId',
			{ ...get, operation: 'getEnvelope', options: { ...options, userId: leak } },
		],
		['name', { ...encode, name: leak }],
		['drmRules > ipAllow', { ...encode, drmRules: { ipAllow: leak } }],
		['manifestJson', { ...encode, specifyManifest: 'json', manifestJson: leak }],
		['requestOptions > timeout', { ...get, requestOptions: { timeout: leak } }],
	])('is refused before anything is sent: %s', async (place, parameters) => {
		const { error, execution, log } = await runNode({ parameters: parameters as never });

		expect(error?.message).toContain(`The parameter "${place}" uses $credentials`);
		expect(error?.description).toMatch(/could show the API key to everyone/);
		expect(service.requests).toEqual([]);
		expect([JSON.stringify(error), ...log].join('\n')).not.toContain(apiKey);
		expect(storedRecord(execution)).not.toContain(apiKey);
	});

	it('fails every item', async () => {
		const { items } = await runNode({
			parameters: { ...get, containerId: containerId(leak) },
			items: [{ json: {} }, { json: {} }],
			onError: 'continueRegularOutput',
		});

		expect(items.map(({ json }) => json.error)).toEqual([
			expect.stringContaining('uses $credentials [item 0]'),
			expect.stringContaining('uses $credentials [item 1]'),
		]);
		expect(JSON.stringify(items)).not.toContain(apiKey);
		expect(service.requests).toEqual([]);
	});
});

import { NodeApiError, type INodeParameters } from 'n8n-workflow';
import { defaultCredentials, runPoll } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { containers, pollingsOf } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

describe('an error', () => {
	it.each([
		[401, 'API key'],
		[403, 'no permission to list the containers'],
		[500, 'could not list the containers'],
	])('is a NodeApiError with the status: %i', async (status, text) => {
		const { apiKey } = defaultCredentials;
		const { error, log } = await start('containerCreated').poll({
			containers: { status, body: { message: `No, ${apiKey}` } },
		});

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ httpCode: String(status) });
		expect(error?.message).toContain(text);
		expect(JSON.stringify([error, error?.stack, log])).not.toContain(apiKey);
	});

	it('shows no API key, where the node quotes the service', async () => {
		const { apiKey } = defaultCredentials;
		const { error } = await start('accessEnding').poll({
			containers: containers('a'),
			rules: { a: { time: { end: `by ${apiKey}` } } },
		});

		expect(error?.message).toBe('The end of access is not a date: "by [hidden]"');
	});

	it('says that the Response Timeout was over', async () => {
		service.get('/users/user-1/containers').delay(1500).reply(200, []);

		const { error } = await start('containerCreated', {
			options: { responseTimeout: 1, maxRetries: 0 },
		}).poll({});

		expect(error?.message).toContain('did not respond in time (within 1 s)');
	});

	it.each([
		[401, {}, { cause: 'credential-invalid' }],
		[429, { 'retry-after': '120' }, { cause: 'rate-limited', retryAfterMs: 120_000 }],
		[429, {}, { cause: 'rate-limited' }],
		[500, {}, { cause: 'temporarily-unavailable' }],
		[503, { 'retry-after': '7' }, { cause: 'temporarily-unavailable', retryAfterMs: 7000 }],
	])('tells n8n why it failed: status %i with %j', async (status, headers, failure) => {
		const { error } = await start('containerCreated').poll({
			containers: { status, body: {}, headers },
		});

		expect((error as NodeApiError).failure).toEqual(failure);
	});

	it.each<[string, INodeParameters]>([
		['Event', { event: 'opened' }],
		['Within Days', { event: 'accessEnding', withinDays: -1 }],
		['Within Days', { event: 'accessEnding', withinDays: '={{ null }}' }],
		['Name Contains', { event: 'accessEnding', nameContains: '={{ undefined }}' }],
		['User ID', { options: { userId: '..' } }],
		['User ID', { options: { userId: '={{ "" }}' } }],
		['Include Existing', { options: { includeExisting: '={{ undefined }}' } }],
		[
			'Include Previous Rules',
			{ event: 'drmChanged', options: { includePreviousRules: '={{ "yes" }}' } },
		],
		[
			'Fields to Ignore',
			{ event: 'contactChanged', options: { fieldsToIgnore: '={{ undefined }}' } },
		],
		['Max Concurrent Requests', { options: { maxConcurrent: 0 } }],
	])(
		'is a NodeApiError that names the parameter, and nothing is sent: %s, %j',
		async (label, parameters) => {
			const { error } = await runPoll({ parameters: { event: 'containerCreated', ...parameters } });

			expect(error).toBeInstanceOf(NodeApiError);
			expect(error?.message).toContain(`"${label}"`);
			expect((error as NodeApiError).description).toContain(`"${label}"`);
			expect((error as NodeApiError).failure).toEqual({ cause: 'configuration-invalid' });
			expect(service.requests).toEqual([]);
		},
	);

	it('is a NodeApiError for plain HTTP, and nothing is sent', async () => {
		const { error } = await runPoll({
			parameters: { event: 'containerCreated' },
			credentials: { baseUrl: 'http://share.example.com/api/v1' },
		});

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error?.message).toContain('https://');
		expect(service.requests).toEqual([]);
	});
});

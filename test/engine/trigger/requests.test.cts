import { NodeApiError, type INodeParameters } from 'n8n-workflow';
import { defaultCredentials, runPoll, type RunPollOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { gather } from '../support/operations.cts';
import { expectUserOf, pollingsOf, containers, createIds, Polling } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

const LIST = '/api/v1/users/user-1/containers';

const paths = () => service.requests.map(({ method, path }) => `${method} ${path}`);

const isRules = (path: string) => path.endsWith('/drm');

describe('the requests of a poll', () => {
	it('are the user once in a process, and then one list each time, also where n8n gives a poll no time', async () => {
		const credentials = expectUserOf(service, 'key-for-counting-requests');
		const polling = start('containerCreated', {}, { credentials, budget: null });
		for (let count = 0; count < 3; count += 1) await polling.poll({ containers: containers('a') });

		expect(paths()).toEqual(['GET /api/v1/me', `GET ${LIST}`, `GET ${LIST}`, `GET ${LIST}`]);
		expect(service.requests[1].headers.authorization).toBe(`Bearer ${credentials.apiKey}`);
	});

	it('are the rules of each container, in the order of the list', async () => {
		const rules = { 'a b': {}, c: {} };
		await start('drmChanged').poll({ containers: containers('a b', 'c'), rules });

		expect(paths().filter((path) => !path.endsWith('/me'))).toEqual([
			`GET ${LIST}`,
			'GET /api/v1/containers/a%20b/drm',
			'GET /api/v1/containers/c/drm',
		]);
	});

	it("run at the user's limit of concurrency", async () => {
		const ids = createIds(40);
		const three = gather(3);
		service
			.get(isRules)
			.times(ids.length)
			.reply(200, async () => {
				await three.join();
				return { opens: 1 };
			});

		const { error } = await start('drmChanged', { options: { maxConcurrent: 3 } }).poll({
			containers: containers(...ids),
		});

		expect(error).toBeUndefined();
		expect(three.peak).toBe(3);
	});
});

describe('two polls at the same time', () => {
	const parameters = { event: 'containerCreated', options: { maxRetries: 0 } };

	it('of one node: the second is skipped, says so, and changes nothing', async () => {
		const polling = new Polling(service, parameters);
		await polling.poll({ containers: containers('a') });
		const { staticData } = polling;
		service.get('/users/user-1/containers').delay(200).reply(200, containers('a', 'b'));

		const [first, second] = await Promise.all([
			runPoll({ parameters, staticData }),
			runPoll({ parameters, staticData }),
		]);

		expect([first.items?.[0]?.length, second.items]).toEqual([1, null]);
		expect(second.error).toBeUndefined();
		expect(second.log.join()).toContain('The previous poll is still running');
		expect(second.staticData).toEqual(staticData);
	});

	it.each<[string, Array<Partial<RunPollOptions>>]>([
		['two nodes in one workflow', [{ nodeName: 'One' }, { nodeName: 'Other' }]],
		['the same node in two workflows', [{ workflowId: 'one' }, { workflowId: 'other' }]],
	])('of %s: both find the event', async (_what, nodes) => {
		const polling = new Polling(service, parameters);
		await polling.poll({ containers: containers('a') });
		const { staticData } = polling;
		const reply = containers('a', 'b');
		service.get('/users/user-1/containers').times(2).delay(200).reply(200, reply);

		const both = await Promise.all(
			nodes.map(async (node) => await runPoll({ parameters, staticData, ...node })),
		);

		expect(both.map(({ items }) => items?.[0]?.length)).toEqual([1, 1]);
	});
});

describe('an error', () => {
	it.each([
		[401, 'API key', { cause: 'credential-invalid' }],
		[429, 'too many requests', { cause: 'rate-limited', retryAfterMs: 120_000 }],
		[500, 'could not list the containers', { cause: 'temporarily-unavailable' }],
	])('is a NodeApiError that tells n8n why: %i', async (status, text, failure) => {
		const { apiKey } = defaultCredentials;
		const headers = status === 429 ? { 'retry-after': '120' } : undefined;
		const { error, log } = await start('containerCreated').poll({
			containers: { status, body: { message: `No, ${apiKey}` }, headers },
		});

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ httpCode: String(status), failure });
		expect(error?.message).toContain(text);
		expect(JSON.stringify([error, error?.stack, log])).not.toContain(apiKey);
	});

	it('shows no API key, where the node quotes the service', async () => {
		const { apiKey } = defaultCredentials;
		const { error } = await start('accessEnding').poll({
			containers: containers('a'),
			rules: { a: { time: { end: `by ${apiKey}` } } },
		});

		expect(error?.message).toContain('{"end":"by [hidden]"}');
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

import { runPoll, type RunPollOptions } from '../../support/engine.cts';
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

	it.each([
		[403, 'user-2'],
		[500, 'user-1'],
	])('ask for the user again after status %i', async (status, userId) => {
		const credentials = expectUserOf(service, `key-refused-with-${status}`);
		const polling = start('containerCreated', {}, { credentials });
		await polling.poll({ containers: containers('a') });
		await polling.poll({ containers: { status, body: {} } });
		expect(paths()).toEqual(['GET /api/v1/me', `GET ${LIST}`, `GET ${LIST}`]);
		if (userId !== 'user-1') expectUserOf(service, credentials.apiKey, { id: userId });

		const { items, error } = await polling.poll({ containers: containers('a'), userId });

		expect(error).toBeUndefined();
		expect(items).toBeNull();
	});

	it('are the list of another user, encoded once, without the user of the API key', async () => {
		const polling = start('contactCreated', { options: { userId: ' ü?1 ', maxRetries: 0 } });
		service.get('/users/%C3%BC%3F1/contacts').reply(200, []);

		const { error } = await runPoll({ parameters: polling.parameters });

		expect(error).toBeUndefined();
		expect(paths()).toEqual(['GET /api/v1/users/%C3%BC%3F1/contacts']);
	});

	it.each(['drmChanged', 'accessEnding'])(
		'are the rules of each container, in the order of their keys, for %s',
		async (event) => {
			await start(event).poll({ containers: containers('a b', 'c'), rules: { 'a b': {}, c: {} } });

			expect(paths().filter((path) => !path.endsWith('/me'))).toEqual([
				`GET ${LIST}`,
				'GET /api/v1/containers/c/drm',
				'GET /api/v1/containers/a%20b/drm',
			]);
		},
	);

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

import { NodeApiError, type INodeParameters } from 'n8n-workflow';
import { defaultCredentials, runPoll, type RunPollOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { gather } from '../support/operations.cts';
import {
	containers,
	createdItems,
	createIds,
	dayFromNow,
	expectUserOf,
	pollingsOf,
	type Poll,
} from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

const oneAtATime = { options: { maxConcurrent: 1, maxRetries: 0 } };
const limited = { status: 429, headers: { 'retry-after': '100' } };
const opens = (count: number) => ({ opens: count });
const idsOf = ({ emitted }: Poll) => emitted.map(({ containerId }) => containerId);
const warningsOf = ({ log }: Poll) => log.filter((line) => line.startsWith('warn'));
const paths = () => service.requests.map(({ path }) => path.replace('/api/v1', ''));

describe('a list', () => {
	const link = '</api/v1/users/user-1/containers?page=2>; rel="next"';
	const first = { status: 200, body: containers('a'), headers: { link } };
	const respondSecond = (status: number, ...ids: string[]) =>
		void service.get('/users/user-1/containers?page=2').reply(status, containers(...ids));

	it.each<[string, unknown, RegExp]>([
		[
			'has an entry without an identifier',
			[{ title: 'a' }, { uuid: 'b' }],
			/without an identifier/,
		],
		['cannot be read to its end', { data: containers('a'), total: 2 }, /"total" is 2/],
		['has a page that fails', first, /status 500/],
	])('that %s fails the poll and does not change the state', async (what, response, message) => {
		const polling = start('containerDeleted');
		await polling.poll({ containers: containers('a', 'b') });
		const before = structuredClone(polling.staticData);
		if (what.includes('page')) respondSecond(500);

		const { error, items, staticData } = await polling.poll({ containers: response });

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error?.message).toMatch(message);
		expect(items).toBeNull();
		expect(staticData).toEqual(before);
		respondSecond(200, 'b');
		expect((await polling.poll({ containers: first })).items).toBeNull();
	});
});

describe('another beginning', () => {
	it('is that of another event or other query parameters, and not of another key of the same user', async () => {
		const query = (value: string) => ({
			options: { maxRetries: 0, query: { parameters: [{ name: 'name', value }] } },
		});
		const respond = (name: string, ...ids: string[]) =>
			service
				.get('/users/user-1/containers')
				.query({ name })
				.reply(200, containers(...ids));
		const polling = start('containerCreated', query('one'));
		const polls: Array<unknown[] | null> = [];
		const poll = async (more: Partial<RunPollOptions> = {}) =>
			polls.push((await polling.poll({}, more)).items);
		respond('one', 'a');
		await poll();
		polling.set(query('two'));
		respond('two', 'b');
		await poll();
		polling.set({ event: 'containerDeleted' });
		respond('two');
		await poll();
		respond('two', 'c');
		await poll();
		respond('two');
		const credentials = expectUserOf(service, 'another-key-of-the-same-user');
		await poll({ credentials });

		expect(polls.map((items) => items === null)).toEqual([true, true, true, true, false]);
	});

	it('can include what exists', async () => {
		const options = { includeExisting: true, maxRetries: 0 };
		const polling = start('containerCreated', { options });

		const { emitted } = await polling.poll({ containers: containers('a', 'b') });
		const next = await polling.poll({ containers: containers('a', 'b') });

		expect([emitted, next.items]).toEqual([createdItems('a', 'b'), null]);
	});
});

it('the state has no API key that the service shows', async () => {
	const polling = start('drmChanged', { options: { includePreviousRules: true } });
	const shown = { recipients: [`${defaultCredentials.apiKey}@x.example`] };

	await polling.poll({ containers: containers('c-1'), rules: { 'c-1': shown } });

	expect(JSON.stringify(polling.staticData)).toContain('[hidden]@x.example');
});

describe('two polls at the same time', () => {
	const parameters = { event: 'containerCreated', options: { maxRetries: 0 } };

	it.each<[string, Array<Partial<RunPollOptions>>, Array<number | undefined>]>([
		['of one node: the second is skipped, and says so', [{}, {}], [1, undefined]],
		['of two nodes in one workflow', [{ nodeName: 'One' }, { nodeName: 'Other' }], [1, 1]],
		['of two workflows', [{ workflowId: 'one' }, { workflowId: 'other' }], [1, 1]],
	])('%s', async (_what, nodes, counts) => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });
		const { staticData } = polling;
		const times = counts.filter((count) => count === 1).length;
		const reply = containers('a', 'b');
		service.get('/users/user-1/containers').times(times).delay(200).reply(200, reply);

		const polls = await Promise.all(
			nodes.map(async (node) => await runPoll({ parameters, staticData, ...node })),
		);

		expect(polls.map(({ items }) => items?.[0]?.length)).toEqual(counts);
		const isSaid = polls[1].log.join().includes('The previous poll is still running');
		expect(isSaid).toBe(counts[1] === undefined);
	});
});

describe('the rules of containers', () => {
	it("are read in the order of the list, at the user's limit of concurrency", async () => {
		const ids = ['a b', ...createIds(20)];
		const three = gather(3);
		service
			.get((path) => path.endsWith('/drm'))
			.times(ids.length)
			.reply(200, async () => {
				await three.join();
				return opens(1);
			});

		const { error } = await start('drmChanged', { options: { maxConcurrent: 3 } }).poll({
			containers: containers(...ids),
		});

		expect(error).toBeUndefined();
		expect(three.peak).toBe(3);
		const read = paths().filter((path) => path.endsWith('/drm'));
		expect(read).toEqual(ids.map((id) => `/containers/${encodeURIComponent(id)}/drm`));
	});

	it.each<[string, unknown]>([
		['403', { status: 403, body: { message: 'Not yours' } }],
		['recipients that are no addresses', { recipients: [7] }],
	])('cost only themselves where they cannot be read: %s', async (_what, odd) => {
		const polling = start('drmChanged');
		const poll = async (a: number, shown: unknown) =>
			await polling.poll({
				containers: containers('a', 'odd', 'c/d'),
				rules: { a: opens(a), odd: shown },
			});

		const polls = [
			await poll(1, odd),
			await poll(2, odd),
			await poll(2, opens(1)),
			await poll(2, odd),
			await poll(2, opens(2)),
		];

		expect(polls.map(({ error }) => error)).toEqual(Array(5).fill(undefined));
		// What was known of it before it was odd still counts.
		expect(polls.map(idsOf)).toEqual([[], ['a'], [], [], ['odd']]);
		expect(warningsOf(polls[0])[0]).toMatch(
			/rules of 2 of 3 containers could not be read \(.*\)\. .* "Name of odd" \(odd\)/,
		);
	});

	it('are none of a container that was deleted meanwhile, or whose name does not match', async () => {
		const polling = start('drmChanged', { nameContains: ' NAME of ? ' });
		const list = { containers: [...containers('a', 'b'), { uuid: 'c', name: 'Other' }] };
		await polling.poll({ ...list, rules: { a: opens(1), b: opens(1) } });

		const poll = await polling.poll({ ...list, rules: { a: opens(2), b: { status: 404 } } });

		expect(poll.error).toBeUndefined();
		expect(idsOf(poll)).toEqual(['a']);
		expect(warningsOf(poll)).toEqual([]);
	});

	const [A, B, C, D] = ['a', 'b', 'c', 'd'];
	const ends = { time: { end: dayFromNow(1, 'UTC') } };

	it.each([
		[false, [[], [], [D], []]],
		[true, [[A], [B, C], [D], []]],
	])(
		'are read further by the next poll after a rate limit (existing included: %s)',
		async (includeExisting, expected) => {
			const options = { ...oneAtATime.options, includeExisting };
			const polling = start('accessEnding', { options }, { timezone: 'UTC' });
			const poll = async (ids: string[], rules: Record<string, unknown>) =>
				await polling.poll({ containers: containers(...ids), rules });
			const polls = [
				await poll([A, B, C], { [A]: ends, [B]: limited }),
				await poll([A, B, C], { [B]: ends, [C]: ends, [A]: limited }),
				await poll([A, B, C, D], { [D]: ends, [A]: ends, [B]: limited }),
				await poll([A, B, C, D], { [B]: ends, [C]: ends, [D]: ends, [A]: ends }),
			];

			expect(polls.map(({ error }) => error)).toEqual(Array(4).fill(undefined));
			expect(polls.map(idsOf)).toEqual(expected);
		},
	);

	it.each([
		[401, {}, { cause: 'credential-invalid' }],
		[429, { 'retry-after': '100' }, { cause: 'rate-limited', retryAfterMs: 100_000 }],
	])(
		'fail the poll at once where the service refuses all: %i',
		async (status, headers, failure) => {
			const polling = start('drmChanged', oneAtATime);
			await polling.poll({ containers: containers('a'), rules: { a: opens(1) } });
			const before = structuredClone(polling.staticData);

			const { error, staticData } = await polling.poll({
				containers: containers('a', 'b'),
				rules: { a: { status, headers } },
			});

			expect(error).toMatchObject({ httpCode: String(status), failure });
			expect(staticData).toEqual(before);
		},
	);
});

describe('a poll whose time is over', () => {
	const budget = 60_000;

	/** The time is over when this is requested. The response comes when the returned function is called. */
	const hang = (path: string, ...response: [status: number, body: unknown, headers?: object]) => {
		let end: () => void = () => undefined;
		const late = new Promise<void>((resolve) => (end = resolve));
		service.get(path).reply(async () => {
			jest.spyOn(Date, 'now').mockReturnValue(Date.now() + budget);
			await late;
			return response as never;
		});
		return () => end();
	};

	afterEach(() => jest.restoreAllMocks());

	it.each(['drmChanged', 'containerCreated'])('fails, and sends no more: %s', async (event) => {
		const isOfRules = event === 'drmChanged';
		const link = '</api/v1/users/user-1/containers?page=2>; rel="next"';
		const end = isOfRules
			? hang('/containers/a/drm', 200, {})
			: hang('/users/user-1/containers', 200, containers('a'), { link });

		const list = isOfRules ? { containers: containers('a') } : {};
		// The time of a response is not over.
		const options = { maxRetries: 0, responseTimeout: 600 };
		const { error, staticData } = await start(event, { options }, { budget }).poll(list);
		end();
		// Time for a request of the second page, which would fail this test.
		await new Promise((resolve) => setTimeout(resolve, 100));

		expect(error).toMatchObject({
			message: 'The service responded too slowly for a poll',
			failure: { cause: 'temporarily-unavailable' },
		});
		expect(staticData).toEqual({});
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
		['Within Days', { event: 'accessEnding', withinDays: '={{ null }}' }],
		['Name Contains', { event: 'accessEnding', nameContains: '={{ undefined }}' }],
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
	])('names the parameter, and nothing is sent: %s', async (label, parameters) => {
		const { error } = await runPoll({ parameters: { event: 'containerCreated', ...parameters } });

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error?.message).toContain(`"${label}"`);
		expect(error).toMatchObject({
			description: expect.stringContaining(`"${label}"`) as string,
			failure: { cause: 'configuration-invalid' },
		});
		expect(service.requests).toEqual([]);
	});
});

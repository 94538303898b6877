import { NodeApiError, type INodeParameters } from 'n8n-workflow';
import { defaultCredentials, runPoll, type RunPollOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { dayFromNow, gather } from '../support/operations.cts';
import { containers, pollingsOf, type Poll } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

const { apiKey } = defaultCredentials;
const oneAtATime = { options: { maxConcurrent: 1, maxRetries: 0 } };
const limited = { status: 429, headers: { 'retry-after': '100' } };
const opens = (count: number) => ({ opens: count });
const idsOf = ({ emitted }: Poll) => emitted.map(({ containerId }) => containerId);
const list = '/users/user-1/containers';
const link = `</api/v1${list}?page=2>; rel="next"`;

it.each<[string, unknown, RegExp]>([
	['cannot be read to its end', { data: containers('a'), total: 2 }, /"total" is 2/],
	[
		'has a page that fails',
		{ status: 200, body: containers('a'), headers: { link } },
		/status 500/,
	],
])('a list that %s fails the poll, and deletes nothing', async (_what, response, message) => {
	const polling = start('containerDeleted');
	await polling.poll({ containers: containers('a', 'b') });
	const before = structuredClone(polling.staticData);
	if (message.test('status 500')) service.get(`${list}?page=2`).reply(500, {});

	const { error, items, staticData } = await polling.poll({ containers: response });

	expect(error).toBeInstanceOf(NodeApiError);
	expect(error?.message).toMatch(message);
	expect([items, staticData]).toEqual([null, before]);
	expect((await polling.poll({ containers: containers('a', 'b') })).items).toBeNull();
});

it('another event, other query parameters and another user are a new beginning, another key is none', async () => {
	const query = (value: string) => ({
		options: { maxRetries: 0, query: { parameters: [{ name: 'name', value }] } },
	});
	const polling = start('containerCreated', query('one'));
	const hasEvents = async (name: string, ids: string[], more: object = {}, path = list) => {
		service
			.get(path)
			.query({ name })
			.reply(200, containers(...ids));
		return (await polling.poll({}, more)).items !== null;
	};
	const polls = [await hasEvents('one', ['a'])];
	polling.set(query('two'));
	polls.push(await hasEvents('two', ['b']));
	polling.set({ event: 'containerDeleted' });
	polls.push(await hasEvents('two', []), await hasEvents('two', ['c']));
	const credentials = { apiKey: 'another-key-of-the-same-user' };
	polls.push(await hasEvents('two', [], { credentials }));
	polls.push(await hasEvents('two', ['d']));
	polling.set({ options: { ...query('two').options, userId: 'user-2' } });
	polls.push(await hasEvents('two', [], {}, '/users/user-2/containers'));

	expect(polls).toEqual([false, false, false, false, true, false, false]);
});

it.each<[string, Array<Partial<RunPollOptions>>, Array<number | undefined>]>([
	['of one node: the second is skipped, and says so', [{}, {}], [1, undefined]],
	['of two nodes in one workflow', [{ nodeName: 'One' }, { nodeName: 'Other' }], [1, 1]],
	['of two workflows', [{ workflowId: 'one' }, { workflowId: 'other' }], [1, 1]],
])('two polls at the same time %s', async (_what, nodes, counts) => {
	const options = { maxRetries: 0, userId: 'user-1' };
	const parameters = { event: 'containerCreated', options };
	const polling = start('containerCreated');
	await polling.poll({ containers: containers('a') });
	const { staticData } = polling;
	const times = counts.filter((count) => count === 1).length;
	const reply = containers('a', 'b');
	service.get(list).times(times).delay(200).reply(200, reply);

	const polls = await Promise.all(
		nodes.map(async (node) => await runPoll({ parameters, staticData, ...node })),
	);

	expect(polls.map(({ items }) => items?.[0]?.length)).toEqual(counts);
	const isSaid = polls[1].log.join().includes('The previous poll is still running');
	expect(isSaid).toBe(counts[1] === undefined);
});

describe('the rules of containers', () => {
	it("are read in the order of the list, at the user's limit of concurrency", async () => {
		const ids = ['a b', ...Array.from({ length: 20 }, (_, number) => `c-${number}`)];
		const three = gather(3);
		service
			.get((path) => path.endsWith('/drm'))
			.times(ids.length)
			.reply(200, async () => {
				await three.join();
				return opens(1);
			});

		const polling = start('drmChanged', { options: { maxConcurrent: 3 } });
		expect((await polling.poll({ containers: containers(...ids) })).error).toBeUndefined();

		expect(three.peak).toBe(3);
		const read = service.requests.filter(({ path }) => path.endsWith('/drm'));
		expect(read.map(({ path }) => path)).toEqual(
			ids.map((id) => `/api/v1/containers/${encodeURIComponent(id)}/drm`),
		);
	});

	it.each<[string, unknown]>([
		['403', { status: 403, body: { message: 'Not yours' } }],
		['recipients that are no addresses', { recipients: [7] }],
	])('cost only themselves where they cannot be read: %s', async (_what, odd) => {
		const polling = start('drmChanged');
		const list = { containers: containers('a', 'odd', 'c/d') };
		const polls: Poll[] = [];
		for (const [a, shown] of [
			[1, odd],
			[2, odd],
			[2, opens(1)],
			[2, odd],
			[2, opens(2)],
		] as Array<[number, unknown]>) {
			polls.push(await polling.poll({ ...list, rules: { a: opens(a), odd: shown } }));
		}

		expect(polls.map(({ error }) => error)).toEqual(Array(5).fill(undefined));
		// What was known of it before it was odd still counts.
		expect(polls.map(idsOf)).toEqual([[], ['a'], [], [], ['odd']]);
		expect(polls[0].log.join()).toMatch(/rules of 2 of 3 containers could not be read .*\(odd\)/);
	});

	it('are none of a container that was deleted meanwhile, or whose name does not match', async () => {
		const polling = start('drmChanged', { nameContains: ' NAME of ? ' });
		const list = { containers: [...containers('a', 'b'), { uuid: 'c', name: 'Other' }] };
		await polling.poll({ ...list, rules: { a: opens(1), b: opens(1) } });

		const poll = await polling.poll({ ...list, rules: { a: opens(2), b: { status: 404 } } });

		expect([poll.error, idsOf(poll)]).toEqual([undefined, ['a']]);
		expect(poll.log.filter((line) => line.startsWith('warn'))).toEqual([]);
	});

	const ends = { time: { end: dayFromNow(1, 'UTC') } };

	it.each([
		[false, [[], [], [], ['d']]],
		[true, [['a'], ['b', 'c'], [], ['d']]],
	])(
		'are read no further after a rate limit, and by the next poll (existing included: %s)',
		async (includeExisting, expected) => {
			const options = { ...oneAtATime.options, includeExisting };
			const polling = start('accessEnding', { options }, { timezone: 'UTC' });
			const polls: Poll[] = [];
			for (const [ids, rules] of [
				['abc', { a: ends, b: limited }],
				['abc', { b: ends, c: ends, a: limited }],
				['abcd', { a: ends, b: limited }],
				['abcd', { b: ends, c: ends, d: ends, a: ends }],
			] as Array<[string, Record<string, unknown>]>) {
				polls.push(await polling.poll({ containers: containers(...ids), rules }));
			}

			expect(polls.map(({ error }) => error)).toEqual(Array(4).fill(undefined));
			expect(polls.map(idsOf)).toEqual(expected);
		},
	);

	it.each([
		[401, {}, { cause: 'credential-invalid' }],
		[429, { 'retry-after': '100' }, { cause: 'rate-limited', retryAfterMs: 100_000 }],
	])(
		'fail the poll at the first refusal that concerns all: %i',
		async (status, headers, failure) => {
			const polling = start('drmChanged', oneAtATime);
			await polling.poll({ containers: containers('a'), rules: { a: opens(1) } });
			const before = structuredClone(polling.staticData);

			const rules = { a: { status, headers } };
			const { error, staticData } = await polling.poll({ containers: containers('a', 'b'), rules });

			expect(error).toMatchObject({ httpCode: String(status), failure });
			expect(staticData).toEqual(before);
		},
	);
});

it.each<[string, number, Partial<RunPollOptions>]>([
	['of a scheduler', 30_000, { budget: 30_000 }],
	["of an activation, at n8n's start", 60_000, { activation: 'init' }],
])('a poll whose time is over fails, and sends no more: %s', async (_what, time, more) => {
	// The rest of the time is for the comparison.
	const timeToRead = time * 0.95;
	const over = new AbortController();
	const wait = AbortSignal.timeout.bind(AbortSignal);
	const timer = jest
		.spyOn(AbortSignal, 'timeout')
		.mockImplementation((ms) => (ms === timeToRead ? over.signal : wait(ms)));
	let end: () => void = () => undefined;
	const late = new Promise<void>((resolve) => (end = resolve));
	service.get(list).reply(async () => {
		jest.spyOn(Date, 'now').mockReturnValue(Date.now() + time);
		over.abort();
		await late;
		return [200, containers('a'), { link }];
	});

	const poll = await start('drmChanged', {}, more).poll({});
	end();
	// Time for a request of the second page, which would fail this test.
	await new Promise((resolve) => setTimeout(resolve, 100));
	expect(timer).toHaveBeenCalledWith(timeToRead);
	jest.restoreAllMocks();

	const { error = poll.problems[0], staticData } = poll;
	expect(error).toMatchObject({
		message: 'The service responded too slowly for a poll',
		failure: { cause: 'temporarily-unavailable' },
	});
	expect(staticData).toEqual({});
});

it.each(['init', 'leadershipChange'] as const)(
	'a poll that fails while n8n activates the workflow by itself (%s) does not end the trigger',
	async (activation) => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });
		const before = structuredClone(polling.staticData);

		const failing = await polling.poll({ containers: { status: 503 } }, { activation });
		service.get(list).reply(401, {});
		const second = await failing.pollAgain();
		const third = await polling.poll({ containers: containers('a', 'b') });

		expect([failing.error, failing.items, failing.staticData]).toEqual([undefined, null, before]);
		expect(failing.problems).toMatchObject([{ httpCode: '503' }]);
		// n8n handles it itself.
		expect(second).toMatchObject({ error: { httpCode: '401' }, problems: [], staticData: before });
		expect(idsOf(third)).toEqual(['b']);
	},
);

describe('an error', () => {
	it('tells n8n why, and has no API key', async () => {
		const { error, log } = await start('containerCreated').poll({
			containers: { status: 500, body: { message: `No, ${apiKey}` } },
		});

		const failure = { cause: 'temporarily-unavailable' };
		expect(error).toMatchObject({ httpCode: '500', failure });
		expect(error).toBeInstanceOf(NodeApiError);
		expect(JSON.stringify([error, error?.stack, log])).not.toContain(apiKey);
	});

	it('has no API key, where the node quotes the service, and neither has the state', async () => {
		const { error } = await start('accessEnding').poll({
			containers: containers('a'),
			rules: { a: { time: { end: `by ${apiKey}` } } },
		});
		expect(error?.message).toContain('{"end":"by [hidden]"}');

		const polling = start('drmChanged', { options: { includePreviousRules: true } });
		const rules = { 'c-1': { recipients: [`${apiKey}@x.example`] } };
		await polling.poll({ containers: containers('c-1'), rules });
		expect(JSON.stringify(polling.staticData)).toContain('[hidden]@x.example');

		const deleted = start('containerDeleted');
		await deleted.poll({ containers: [{ uuid: 'c-1', name: `Key ${apiKey}` }] });
		expect(JSON.stringify(deleted.staticData)).toContain('Key [hidden]');
	});

	const query = (name: string) => ({ parameters: [{ name, value: '1' }] });
	it.each<[string, INodeParameters]>([
		['Event', { event: 'opened' }],
		['Within Days', { event: 'accessEnding', withinDays: '={{ null }}' }],
		['Name Contains', { event: 'accessEnding', nameContains: '={{ undefined }}' }],
		['User ID', { options: { userId: '={{ "" }}' } }],
		['Include Existing', { options: { includeExisting: '={{ undefined }}' } }],
		['Max Concurrent Requests', { options: { maxConcurrent: 0 } }],
		['after', { event: 'containerOpened', options: { query: query('after') } }],
		['cursor', { options: { query: query('cursor') } }],
	])('names the parameter, and nothing is sent: %s', async (label, parameters) => {
		const { error } = await runPoll({ parameters: { event: 'containerCreated', ...parameters } });

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error?.message).toContain(`"${label}"`);
		expect(error).toMatchObject({ failure: { cause: 'configuration-invalid' } });
		expect(service.requests).toEqual([]);
	});

	it('says that there is nothing to show in a test', async () => {
		const { error } = await start('contactDeleted').poll({ contacts: [] }, { mode: 'manual' });

		expect(error?.message).toBe('There is nothing to show for "Contact Deleted" yet');
	});
});

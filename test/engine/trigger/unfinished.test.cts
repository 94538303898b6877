import { NodeApiError } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import {
	containers,
	createIds,
	dayFromNow,
	pollingsOf,
	type Poll,
	type Responses,
} from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

const oneAtATime = { options: { maxConcurrent: 1, maxRetries: 0 } };
const limited = { status: 429, headers: { 'retry-after': '100' } };
const missing = { status: 404 };

describe('a poll that meets a rate limit', () => {
	it('while it reads rules keeps them, although a container is missing', async () => {
		const polling = start('drmChanged', oneAtATime);
		const rules = (opens: number) => ({ opens });
		await polling.poll({
			containers: containers('a', 'b', 'gone'),
			rules: { a: rules(1), b: rules(1), gone: rules(1) },
		});
		const list = { containers: containers('a', 'b') };

		const first = await polling.poll({ ...list, rules: { a: rules(2), b: limited } });
		const second = await polling.poll({
			...list,
			rules: { a: rules(2), b: rules(2) },
			deleted: ['gone'],
		});

		expect([first.error, second.error]).toEqual([undefined, undefined]);
		expect(first.emitted).toEqual([expect.objectContaining({ containerId: 'a' })]);
		expect(second.emitted).toEqual([expect.objectContaining({ containerId: 'b' })]);
	});

	it('while it looks for what is missing emits what was deleted, and looks for the rest next time', async () => {
		const ids = createIds(14);
		const polling = start('containerDeleted', oneAtATime);
		await polling.poll({ containers: ids });

		const first = await polling.poll({
			containers: [],
			deleted: ids.slice(0, 12),
			confirmations: { [ids[12]]: limited },
		});
		const second = await polling.poll({ containers: [], deleted: ids.slice(12) });

		expect([first.error, second.error]).toEqual([undefined, undefined]);
		expect([first.emitted, second.emitted].map((items) => items.map((i) => i.containerId))).toEqual(
			[ids.slice(0, 12), ids.slice(12)],
		);
		expect((await polling.poll({ containers: [] })).items).toBeNull();
	});

	it('before it got anywhere fails, and tells n8n how long to wait', async () => {
		const polling = start('containerDeleted', oneAtATime);
		await polling.poll({ containers: ['a'] });
		const before = structuredClone(polling.staticData);

		const { error, staticData } = await polling.poll({
			containers: [],
			confirmations: { a: limited },
		});

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ failure: { cause: 'rate-limited', retryAfterMs: 100_000 } });
		expect(staticData).toEqual(before);
	});

	it('time after time does not take containers without rules for all of them', async () => {
		const list = { containers: containers('a', 'b', 'c') };
		const polling = start('drmChanged', oneAtATime);

		const polls = [
			await polling.poll({ ...list, rules: { a: missing, b: limited } }),
			await polling.poll({ ...list, rules: { b: missing, c: limited } }),
			await polling.poll({ ...list, rules: { c: { opens: 1 }, a: missing, b: missing } }),
			await polling.poll({ ...list, rules: { c: { opens: 2 }, a: missing, b: missing } }),
		];

		expect(polls.map(({ error }) => error)).toEqual(Array(4).fill(undefined));
		expect(polls.map(({ emitted }) => emitted.length)).toEqual([0, 0, 0, 1]);
	});
});

describe('polls that only read a part of the rules', () => {
	const all = (...ids: string[]) => ({ containers: containers(...ids) });
	const ends = { time: { end: dayFromNow(1, 'UTC') } };
	const idsOf = ({ emitted }: Poll) => emitted.map(({ containerId }) => containerId);

	it.each([
		[false, [[], [], ['aa'], []]],
		[true, [['a'], ['b', 'c'], ['aa'], []]],
	])(
		'continue where the last one ended, whatever the order of the list (existing included: %s)',
		async (includeExisting, expected) => {
			const options = { ...oneAtATime.options, includeExisting };
			const polling = start('accessEnding', { options }, { timezone: 'UTC' });

			const polls = [
				await polling.poll({ ...all('c', 'a', 'b'), rules: { a: ends, b: limited } }),
				await polling.poll({ ...all('b', 'c', 'a'), rules: { b: ends, c: ends, a: limited } }),
				await polling.poll({
					...all('b', 'c', 'aa', 'a'),
					rules: { a: ends, aa: ends, b: limited },
				}),
				await polling.poll({
					...all('b', 'c', 'aa', 'a'),
					rules: { b: ends, c: ends, a: ends, aa: ends },
				}),
			];

			expect(polls.map(({ error }) => error)).toEqual(Array(4).fill(undefined));
			expect(polls.map(idsOf)).toEqual(expected);
		},
	);

	it('emit what was created since the first one, and no container twice', async () => {
		const polling = start('accessEnding', oneAtATime, { timezone: 'UTC' });

		const polls = [
			await polling.poll({ ...all('B', 'c'), rules: { B: ends, c: limited } }),
			await polling.poll({ ...all('A', 'B', 'c', 'd'), rules: { c: ends, d: ends, A: limited } }),
			await polling.poll({
				...all('A', 'B', 'c', 'd'),
				rules: { A: ends, B: ends, c: ends, d: ends },
			}),
		];

		expect(polls.map(idsOf)).toEqual([[], ['d'], ['A']]);
	});

	it('continue after a container that holds up the poll', async () => {
		const polling = start('accessEnding', { options: { maxConcurrent: 2, maxRetries: 0 } });
		service.scope().get('/containers/a/drm').delay(100).reply(429);
		await polling.poll({ ...all('a', 'b', 'c'), rules: { b: ends, c: ends } });
		service.requests.length = 0;

		const { items } = await polling.poll({
			...all('a', 'b', 'c'),
			rules: { a: ends, b: ends, c: ends },
		});

		expect(service.requests.map(({ path }) => path.split('/').at(-2))).toEqual([
			'user-1',
			'b',
			'c',
			'a',
		]);
		expect(items).toBeNull();
	});
});

describe('polls that find no rules', () => {
	const none = (...ids: string[]) => ({
		containers: containers(...ids),
		rules: Object.fromEntries(ids.map((id) => [id, missing])),
	});
	const pollAll = async (responses: Responses[]) => {
		const polling = start('drmChanged', oneAtATime);
		const errors: unknown[] = [];
		for (const response of responses) errors.push((await polling.poll(response)).error);
		return errors;
	};

	it.each([
		['the only container', ['a']],
		['all 2 containers', ['a', 'b']],
	])('are an error from the second in a row, of %s', async (which, ids) => {
		const [first, ...others] = await pollAll([none(...ids), none(...ids), none(...ids)]);

		expect(first).toBeUndefined();
		for (const error of others) {
			expect(error).toMatchObject({
				message: 'The service found no access rules for any container in the list',
				description: expect.stringContaining(`rules of ${which}, in two polls in a row`) as string,
			});
		}
	});

	it.each([
		['after one that found some', [none('a'), { ...none('a'), rules: { a: {} } }, none('a')]],
		['without containers', [none(), none()]],
	])('are no error %s', async (_when, responses) => {
		expect(await pollAll(responses)).toEqual(responses.map(() => undefined));
	});
});

describe('a poll whose time is over', () => {
	const budget = 60_000;

	/** The time is over when this is requested. The response comes when `end` is called. */
	const hang = (path: string, ...response: [status: number, body: unknown, headers?: object]) => {
		let end: () => void = () => undefined;
		const late = new Promise<void>((resolve) => (end = resolve));
		service
			.scope()
			.get(path)
			.reply(async () => {
				jest.spyOn(Date, 'now').mockReturnValue(Date.now() + budget);
				await late;
				return response as never;
			});
		return { end: () => end() };
	};

	afterEach(() => jest.restoreAllMocks());

	it('before it read any rules fails, and saves nothing', async () => {
		const rules = hang('/containers/a/drm', 200, {});

		const { error, staticData } = await start('drmChanged', {}, { budget }).poll({
			containers: containers('a'),
		});
		rules.end();

		expect(error?.message).toBe('The service responded too slowly for a poll');
		expect(staticData).toEqual({});
	});

	it('sends no more requests', async () => {
		const link = '</api/v1/users/user-1/containers?page=2>; rel="next"';
		const list = hang('/users/user-1/containers', 200, containers('a'), { link });

		const { error } = await start('containerCreated', {}, { budget }).poll({});
		list.end();

		expect(error?.message).toBe('The service responded too slowly for a poll');
		// Time for a request of the second page, which would fail this test.
		await new Promise((resolve) => setTimeout(resolve, 100));
	});
});

import { setTimeout as wait } from 'node:timers/promises';
import { NodeApiError } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { containers, createIds, dayFromNow, pollingsOf, type Poll } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

const oneAtATime = { options: { maxConcurrent: 1, maxRetries: 0 } };
const limited = { status: 429, headers: { 'retry-after': '100' } };
const all = (...ids: string[]) => ({ containers: containers(...ids) });
const idsOf = ({ emitted }: Poll) => emitted.map(({ containerId }) => containerId);
const [A, B, C, D] = ['a', 'b', 'c', 'd'];

describe('a poll that meets a rate limit', () => {
	it('while it reads rules keeps them, although a container is missing', async () => {
		const polling = start('drmChanged', oneAtATime);
		const rules = (opens: number) => ({ opens });
		await polling.poll({ ...all(A, B, 'gone'), rules: { [A]: rules(1), [B]: rules(1), gone: {} } });

		const polls = [
			await polling.poll({ ...all(A, B), rules: { [A]: rules(2), [B]: limited } }),
			await polling.poll({
				...all(A, B),
				rules: { [A]: rules(2), [B]: rules(2) },
			}),
		];

		expect(polls.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(polls.map(idsOf)).toEqual([[A], [B]]);
	});

	it('before it got anywhere fails, and tells n8n how long to wait', async () => {
		const polling = start('drmChanged', oneAtATime);
		await polling.poll({ ...all(A), rules: { [A]: {} } });
		const before = structuredClone(polling.staticData);

		const { error, staticData } = await polling.poll({ ...all(A, B), rules: { [A]: limited } });

		expect(error).toMatchObject({
			httpCode: '429',
			failure: { cause: 'rate-limited', retryAfterMs: 100_000 },
		});
		expect(staticData).toEqual(before);
	});
});

describe('polls that only read a part of the rules', () => {
	const ends = { time: { end: dayFromNow(1, 'UTC') } };

	it.each([
		[false, [[], [], [D], []]],
		[true, [[A], [B, C], [D], []]],
	])(
		'continue where the last one ended (existing included: %s)',
		async (includeExisting, expected) => {
			const options = { ...oneAtATime.options, includeExisting };
			const polling = start('accessEnding', { options }, { timezone: 'UTC' });
			const polls = [
				await polling.poll({ ...all(A, B, C), rules: { [A]: ends, [B]: limited } }),
				await polling.poll({ ...all(A, B, C), rules: { [B]: ends, [C]: ends, [A]: limited } }),
				await polling.poll({ ...all(A, B, C, D), rules: { [D]: ends, [A]: ends, [B]: limited } }),
				await polling.poll({
					...all(A, B, C, D),
					rules: { [B]: ends, [C]: ends, [D]: ends, [A]: ends },
				}),
			];

			expect(polls.map(({ error }) => error)).toEqual(Array(4).fill(undefined));
			expect(polls.map(idsOf)).toEqual(expected);
		},
	);
});

describe('a poll whose time is over', () => {
	const budget = 60_000;
	const outOfTime = {
		message: 'The service responded too slowly for a poll',
		failure: { cause: 'temporarily-unavailable' },
	};

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

	it('before it read any rules of all fails, and saves nothing', async () => {
		const end = hang(`/containers/${A}/drm`, 200, {});

		const { error, staticData } = await start('drmChanged', {}, { budget }).poll(all(A));
		end();

		expect(error).toMatchObject(outOfTime);
		expect(staticData).toEqual({});
	});

	it('sends no more requests', async () => {
		const link = '</api/v1/users/user-1/containers?page=2>; rel="next"';
		const end = hang('/users/user-1/containers', 200, containers('a'), { link });

		const { error } = await start('containerCreated', {}, { budget }).poll({});
		end();

		expect(error).toMatchObject(outOfTime);
		// Time for a request of the second page, which would fail this test.
		await new Promise((resolve) => setTimeout(resolve, 100));
	});
});

const warningsOf = ({ log }: Poll) => log.filter((line) => line.startsWith('warn'));
const rules = (opens: number) => ({ opens });
const refused = { status: 403, body: { message: 'Not yours' } };

describe('a container whose rules cannot be read', () => {
	it.each<[string, unknown]>([
		['403', refused],
		['recipients that are no addresses', { recipients: [7] }],
	])('costs only itself, also at the first poll: %s', async (_what, odd) => {
		const polling = start('drmChanged');
		const list = { containers: containers('a', 'b', 'odd') };

		const polls = [
			await polling.poll({ ...list, rules: { a: rules(1), b: rules(1), odd } }),
			await polling.poll({ ...list, rules: { a: rules(2), b: rules(1), odd } }),
			await polling.poll({ ...list, rules: { a: rules(2), b: rules(1), odd: rules(1) } }),
			await polling.poll({ ...list, rules: { a: rules(2), b: rules(1), odd } }),
			await polling.poll({ ...list, rules: { a: rules(2), b: rules(1), odd: rules(2) } }),
		];

		expect(polls.map(({ error }) => error)).toEqual(Array(5).fill(undefined));
		// What was known of it before it was odd still counts.
		expect(polls.map(idsOf)).toEqual([[], ['a'], [], [], ['odd']]);
		expect(polls.map((poll) => warningsOf(poll).length)).toEqual([1, 1, 0, 1, 0]);
		expect(warningsOf(polls[0])[0]).toMatch(
			/rules of 1 of 3 containers could not be read \(.*\)\. .* "Name of odd" \(odd\) \{/,
		);
	});

	it('has no ID that can be in a URL, or an end that is not a date', async () => {
		const end = (value: string) => ({ time: { end: value } });
		const list = { containers: containers('a/b', 'c', 'odd') };
		const polling = start('accessEnding', {}, { timezone: 'UTC' });
		const far = end(dayFromNow(90, 'UTC'));
		const first = await polling.poll({ ...list, rules: { c: far, odd: end('12/31/2099') } });

		const second = await polling.poll({
			...list,
			rules: { c: end(dayFromNow(1, 'UTC')), odd: end('12/31/2099') },
		});

		expect([first.error, second.error]).toEqual([undefined, undefined]);
		expect(idsOf(second)).toEqual(['c']);
		expect(warningsOf(second)[0]).toMatch(
			/2 of 3 .*contains a slash.*without "Name of a\/b" \(a\/b\), "Name of odd" \(odd\) /,
		);
	});

	it('ends the poll after ten of them, and the next one continues', async () => {
		const polling = start('drmChanged', oneAtATime);
		const ids = createIds(30);
		const asked: string[][] = [];
		service
			.scope()
			.persist()
			.get((path) => path.endsWith('/drm'))
			.reply((path) => {
				asked.at(-1)?.push(path);
				return asked.at(-1)?.length === 1 ? [200, {}] : [403];
			});
		for (let count = 0; count < 3; count += 1) {
			asked.push([]);
			const { error, log } = await polling.poll({ containers: containers(...ids) });
			expect(error).toBeUndefined();
			expect(log.join()).toContain('10 of 30');
		}

		expect(asked.map((paths) => paths.length)).toEqual([11, 11, 11]);
		expect(new Set(asked.flat()).size).toBe(30);
	});
});

describe('rules that cannot be read of any container', () => {
	const list = { containers: containers('a', 'b') };

	it.each([
		[403, 'no permission to get the rules of the container'],
		[401, 'did not accept the API key'],
	])('fail the poll, which saves nothing: %i', async (status, text) => {
		const odd = { status };
		const polling = start('drmChanged', { options: { maxConcurrent: 1, maxRetries: 0 } });
		await polling.poll({ ...list, rules: { a: rules(1), b: rules(1) } });
		const before = structuredClone(polling.staticData);
		// The key is refused for all: after the first, no other is asked for.
		const asked = status === 401 ? { a: odd } : { a: odd, b: odd };

		const { error, staticData } = await polling.poll({ ...list, rules: asked });

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ httpCode: String(status) });
		expect(error?.message).toContain(text);
		expect(staticData).toEqual(before);
	});

	it('end with the poll that fails: those that wait are not asked', async () => {
		const drm = /\/drm$/;
		service.get(drm).reply(401);
		service.scope().persist().get(drm).delay(100).reply(200, {});
		const polling = start('drmChanged', { options: { maxConcurrent: 2, maxRetries: 0 } });

		const { error } = await polling.poll({ containers: containers(...createIds(10)) });
		await wait(300);

		expect(error).toMatchObject({ httpCode: '401' });
		expect(service.requests.filter(({ path }) => drm.test(path)).length).toBeLessThan(4);
	});

	it('fail the poll after a few, without a word about each', async () => {
		service
			.get((path) => path.endsWith('/drm'))
			.times(10)
			.reply(403);

		const poll = await start('accessEnding', oneAtATime).poll({
			containers: containers(...createIds(40)),
		});

		expect(poll.error).toMatchObject({ httpCode: '403' });
		expect(warningsOf(poll)).toEqual([]);
	});
});

import { NodeApiError, type IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { containers, createIds, dayFromNow, pollingsOf } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

const pathsOf = (pattern: RegExp) =>
	service.requests.map(({ path }) => path).filter((path) => pattern.test(path));

describe('a list that cannot be understood', () => {
	const NOT_A_LIST: Array<[string, { status: number; body?: unknown }]> = [
		['nothing (204)', { status: 204 }],
		['an empty body', { status: 200, body: '' }],
		['null', { status: 200, body: 'null' }],
		['an empty object', { status: 200, body: {} }],
		['an error with the status of success', { status: 200, body: { error: 'try again' } }],
		[
			'an error beside an empty list',
			{ status: 200, body: { containers: [], contacts: [], error: 'storage is down' } },
		],
		['success: false', { status: 200, body: { success: false, data: [] } }],
		['a page', { status: 200, body: '<!doctype html><title>Sign in</title>' }],
		['text', { status: 200, body: 'OK' }],
	];

	describe.each([
		['containerDeleted', 'containers'],
		['contactDeleted', 'contacts'],
		['containerCreated', 'containers'],
		['drmChanged', 'containers'],
	])('for %s', (event, list) => {
		it.each(NOT_A_LIST)('fails the poll, emits and saves nothing: %s', async (_what, response) => {
			const polling = start(event);
			const existing = list === 'contacts' ? ['a', 'b'].map((email) => ({ email })) : ['a', 'b'];
			const rules = event === 'drmChanged' ? { a: { opens: 1 }, b: { opens: 1 } } : {};
			await polling.poll({ [list]: existing, rules });
			const before = structuredClone(polling.staticData);

			const { error, items } = await polling.poll({ [list]: response });

			expect(error).toBeInstanceOf(NodeApiError);
			expect(items).toBeNull();
			expect(polling.staticData).toEqual(before);
			expect((await polling.poll({ [list]: existing, rules })).items).toBeNull();
		});
	});
});

describe('what is missing from the list', () => {
	it('is looked for only a little when nothing of it was deleted', async () => {
		const ids = createIds(100);
		const polling = start('containerDeleted');
		await polling.poll({ containers: containers(...ids) });

		const { items, error } = await polling.poll({ containers: [], existing: ids.slice(0, 10) });

		expect(error).toBeUndefined();
		expect(items).toBeNull();
		expect((await polling.poll({ containers: containers(...ids) })).items).toBeNull();
	});

	it('is looked for in the next poll, where one does not get to it', async () => {
		const ids = createIds(1010);
		const polling = start('containerDeleted');
		await polling.poll({ containers: ids });

		const first = await polling.poll({ containers: [], deleted: ids.slice(0, 1000) });
		const second = await polling.poll({ containers: [], deleted: ids.slice(1000) });

		expect([first.emitted.length, second.emitted.length]).toEqual([1000, 10]);
		expect((await polling.poll({ containers: [] })).items).toBeNull();
	}, 120_000);

	it('does not hide behind records that exist without being listed', async () => {
		const hidden = createIds(10, 'hidden');
		const polling = start('containerDeleted');
		await polling.poll({ containers: [...hidden, 'a'] });

		const first = await polling.poll({ containers: [], existing: hidden });
		const second = await polling.poll({
			containers: [],
			deleted: ['a'],
			existing: hidden,
		});

		expect(first.items).toBeNull();
		expect(second.emitted).toEqual([{ containerId: 'a' }]);
	});

	it('is neither deleted nor new when pages shift while they are fetched', async () => {
		const list = '/api/v1/users/user-1/containers';
		const page = (...ids: string[]) => ({
			status: 200,
			body: ids,
			headers: { link: `<${list}?page=2>; rel="next"` },
		});
		const second = (...ids: string[]) =>
			service.scope().get('/users/user-1/containers?page=2').reply(200, ids);
		const events = ['containerDeleted', 'containerCreated'].map((event) => start(event));
		const emitted: IDataObject[] = [];
		for (const polling of events) {
			second('c', 'd');
			await polling.poll({ containers: page('a', 'b') });
			// After the first page, a was deleted: c moves to the page that was fetched already.
			second('d');
			emitted.push(
				...(await polling.poll({ containers: page('a', 'b'), existing: ['c'] })).emitted,
			);
			second('d');
			const { emitted: items } = await polling.poll({
				containers: page('b', 'c'),
				deleted: ['a'],
			});
			emitted.push(...items);
		}

		expect(emitted).toEqual([{ containerId: 'a' }]);
	});
});

describe('access rules', () => {
	const full = {
		dynamic: true,
		downloadable: false,
		opens: 3,
		recipients: ['Ann@x.example', 'bob@x.example'],
		geo: { allow: [{ country: 'CH' }, { country: 'AT' }] },
		ip: { allow: ['2001:db8::A'] },
		time: { end: '2099-12-31' },
	};

	it.each([
		['numbers and flags as text', { ...full, opens: '3', dynamic: 1, downloadable: '0' }],
		['doubles and another order', { ...full, recipients: ['bob@x.example', ...full.recipients] }],
		['capitals', { ...full, recipients: ['ANN@x.example', 'Bob@X.example'] }],
		['capitals of countries', { ...full, geo: { allow: [{ country: 'at' }, { country: 'ch' }] } }],
		['capitals of networks', { ...full, ip: { allow: ['2001:DB8::a'] } }],
		['empty lists and null', { ...full, geo: { ...full.geo, block: [] }, extra: null }],
		['another form of the day', { ...full, time: { start: null, end: '2099-12-31T00:00:00Z' } }],
	])('are the same with %s', async (_what, rules) => {
		const polling = start('drmChanged');
		await polling.poll({ containers: containers('a'), rules: { a: full } });

		const { items, error } = await polling.poll({
			containers: containers('a'),
			rules: { a: rules },
		});

		expect(error).toBeUndefined();
		expect(items).toBeNull();
	});

	it.each([
		['nothing at all', {}, { opens: null, geo: [], recipients: [], time: { start: null } }],
		['nothing at all', { geo: {}, ip: null }, {}],
	])('are the same: %s', async (_what, before, after) => {
		const polling = start('drmChanged');
		await polling.poll({ containers: containers('a'), rules: { a: { drm: before } } });

		const { items, error } = await polling.poll({
			containers: containers('a'),
			rules: { a: { drm: after } },
		});

		expect(error).toBeUndefined();
		expect(items).toBeNull();
	});

	it.each([
		['opens', { ...full, opens: 0 }],
		['dynamic', { ...full, dynamic: false }],
		['recipients', { ...full, recipients: ['ann@x.example'] }],
		['geo', { ...full, geo: { block: full.geo.allow } }],
		['time', { ...full, time: { end: '2099-12-30' } }],
	])('have changed with other %s', async (name, rules) => {
		const polling = start('drmChanged');
		await polling.poll({ containers: containers('a'), rules: { a: full } });

		const { emitted } = await polling.poll({ containers: containers('a'), rules: { a: rules } });

		expect(emitted).toEqual([expect.objectContaining({ changedRules: [name] })]);
	});

	it.each(['drmChanged', 'accessEnding'])(
		'of no container at all are an error after the second poll in a row, for %s',
		async (event) => {
			const missing = { status: 404, body: { message: 'No such path' } };
			const polling = start(event);
			await polling.poll({
				containers: containers('a', 'b'),
				rules: { a: { opens: 1 }, b: { opens: 1 } },
			});
			const none = { containers: containers('a', 'b'), rules: { a: missing, b: missing } };

			const first = await polling.poll(none);
			const second = await polling.poll(none);
			const third = await polling.poll(none);

			expect(first.error).toBeUndefined();
			expect(first.items).toBeNull();
			for (const { error } of [second, third]) {
				expect(error).toBeInstanceOf(NodeApiError);
				expect(error?.message).toContain('no access rules for any container');
				expect(error).toMatchObject({
					description: expect.stringContaining(
						'the rules of all 2 containers, in two polls',
					) as string,
				});
			}
			const { emitted } = await polling.poll({
				containers: containers('a', 'b'),
				rules: { a: { opens: 2 }, b: { opens: 1 } },
			});
			expect(emitted).toHaveLength(event === 'drmChanged' ? 1 : 0);
		},
	);
});

describe('a poll with little time', () => {
	const ids = createIds(12);
	const list = { containers: containers(...ids) };
	const tomorrow = dayFromNow(1, 'UTC');
	let rules: IDataObject;

	/** Two requests at a time, each of 150 ms: not even half of the containers in one poll. */
	const slow = (event: string, includeExisting: boolean) => {
		service
			.scope()
			.get((path) => path.endsWith('/drm'))
			.times(1000)
			.optionally()
			.delay(150)
			.reply(200, () => rules);
		return start(
			event,
			{ options: { maxConcurrent: 2, maxRetries: 0, includeExisting } },
			{ timezone: 'UTC', budget: 450 },
		);
	};

	/** Polls until the rules of every container were requested once more, with what n8n stored in between. */
	const pollRound = async (polling: ReturnType<typeof start>) => {
		const read = new Set<string>();
		const emitted: string[] = [];
		for (let count = 0; count < 30 && read.size < ids.length; count += 1) {
			service.requests.length = 0;
			const result = await polling.poll(list);
			// On a busy machine, a poll can be over before its first response: the next one starts where it did.
			if (result.error !== undefined) {
				expect(result.error.message).toBe('The service responded too slowly for a poll');
				continue;
			}
			emitted.push(...result.emitted.map(({ containerId }) => String(containerId)));
			const requested = pathsOf(/\/drm$/).map((path) => String(path.split('/').at(-2)));
			expect(requested.length).toBeLessThan(ids.length);
			for (const id of requested) read.add(id);
		}
		expect(read.size).toBe(ids.length);
		return emitted;
	};

	const sorted = [...ids].sort();

	it('keeps what it has read, and the next one goes on from there', async () => {
		rules = { opens: 1 };
		const polling = slow('drmChanged', false);
		expect(await pollRound(polling)).toEqual([]);
		expect(await pollRound(polling)).toEqual([]);

		rules = { opens: 2 };
		const emitted = [...(await pollRound(polling)), ...(await pollRound(polling))];

		expect(emitted.sort()).toEqual(sorted);
		expect(await pollRound(polling)).toEqual([]);
	}, 60_000);

	it.each([
		[true, sorted],
		[false, []],
	])(
		'takes what it reads in its first round for existing records (included: %s)',
		async (included, expected) => {
			rules = { time: { end: tomorrow } };
			const polling = slow('accessEnding', included);

			const emitted = [...(await pollRound(polling)), ...(await pollRound(polling))];

			expect(emitted.sort()).toEqual(expected);
		},
		60_000,
	);

	it('fails and says so when there was no time for anything', async () => {
		const late = async (event: string) => {
			const polling = start(event, {}, { budget: 200 });
			const { error, items, staticData } = await polling.poll({});
			expect([items, staticData]).toEqual([null, {}]);
			return error;
		};
		const lists = () => service.scope().get('/users/user-1/containers');
		lists().delay(600).reply(200, containers('a'));
		const errors = [await late('containerCreated')];
		lists().reply(200, containers('a'));
		service.scope().get('/containers/a/drm').delay(600).reply(200, {});
		errors.push(await late('drmChanged'));

		for (const error of errors) {
			expect(error).toBeInstanceOf(NodeApiError);
			expect(error?.message).toBe('The service responded too slowly for a poll');
			expect(error).toMatchObject({ failure: { cause: 'temporarily-unavailable' } });
		}
	});

	it('keeps what it read before a rate limit, and fails where the limit came first', async () => {
		const limit = { status: 429, headers: { 'retry-after': '100' } };
		const polling = start(
			'drmChanged',
			{ options: { maxConcurrent: 1, maxRetries: 5 } },
			{
				budget: 5000,
			},
		);
		const both = { containers: containers('a', 'b') };
		await polling.poll({ ...both, rules: { a: { opens: 1 }, b: { opens: 1 } } });

		const first = await polling.poll({ ...both, rules: { a: { opens: 2 }, b: limit } });
		const second = await polling.poll({ ...both, rules: { b: limit } });
		const third = await polling.poll({ ...both, rules: { a: { opens: 2 }, b: { opens: 2 } } });

		expect(first.emitted).toEqual([expect.objectContaining({ containerId: 'a' })]);
		expect(second.error).toMatchObject({
			httpCode: '429',
			failure: { cause: 'rate-limited', retryAfterMs: 100_000 },
		});
		expect(third.emitted).toEqual([expect.objectContaining({ containerId: 'b' })]);
	}, 30_000);
});

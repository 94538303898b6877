import nock from 'nock';
import { NodeApiError, type IDataObject, type INodeParameters } from 'n8n-workflow';
import { defaultCredentials, runPoll } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { containers, dayFromNow, manyIds, Polling } from '../support/polling.cts';

const service = mockService();

const LIST = '/api/v1/users/user-1/containers';
const start = (event: string, parameters: INodeParameters = {}, more = {}) =>
	new Polling(service, { event, options: { maxRetries: 0 }, ...parameters }, more);
const paths = () => service.requests.map(({ method, path }) => `${method} ${path}`);
const isRules = (path: string) => path.endsWith('/drm');
const uuids = (items: IDataObject[]) => items.map(({ uuid }) => uuid);

/** Expects GET /me once, for a key that no test has used before. */
function meOf(apiKey: string, status = 200, body: unknown = { id: 'user-1' }) {
	service
		.scope()
		.get('/me')
		.reply(status, body as never);
	return { apiKey };
}

describe('what a poll asks the service for', () => {
	it('is the user once in a process, and then one list each time', async () => {
		const credentials = meOf('key-for-counting-requests');
		const polling = start('containerCreated', {}, { credentials });
		for (let count = 0; count < 3; count += 1) await polling.poll({ containers: containers('a') });

		expect(paths()).toEqual(['GET /api/v1/me', `GET ${LIST}`, `GET ${LIST}`, `GET ${LIST}`]);
		expect(service.requests[1].headers.authorization).toBe(`Bearer ${credentials.apiKey}`);
	});

	it('is the list of another user, encoded once, and no user of the key', async () => {
		const polling = start('contactCreated', { options: { userId: ' ü/1 ', maxRetries: 0 } });
		service.scope().get('/users/%C3%BC%2F1/contacts').reply(200, []);

		const { error } = await runPoll({ parameters: polling.parameters });

		expect(error).toBeUndefined();
		expect(paths()).toEqual(['GET /api/v1/users/%C3%BC%2F1/contacts']);
	});

	it.each(['drmChanged', 'accessEnding'])(
		'is the rules of each container for %s',
		async (event) => {
			await start(event).poll({ containers: containers('a b', 'c'), rules: { 'a b': {}, c: {} } });

			expect(paths().filter((path) => !path.endsWith('/me'))).toEqual([
				`GET ${LIST}`,
				'GET /api/v1/containers/a%20b/drm',
				'GET /api/v1/containers/c/drm',
			]);
		},
	);

	it('is no more at a time than the user allows', async () => {
		const ids = manyIds(40);
		let inFlight = 0;
		let most = 0;
		service
			.scope()
			.get(isRules)
			.times(ids.length)
			.reply(200, async () => {
				inFlight += 1;
				most = Math.max(most, inFlight);
				await new Promise((resolve) => setTimeout(resolve, 5));
				inFlight -= 1;
				return { opens: 1 };
			});

		const { error } = await start('drmChanged', { options: { maxConcurrent: 3 } }).poll({
			containers: containers(...ids),
		});

		expect(error).toBeUndefined();
		expect(most).toBe(3);
	});

	it('is little more once the rules of a container could not be read', async () => {
		const ids = manyIds(100);
		service
			.scope()
			.get(isRules)
			.times(ids.length)
			.optionally()
			.reply(403, { message: 'Not yours' });

		const { error } = await start('drmChanged', {
			options: { maxConcurrent: 2, maxRetries: 0 },
		}).poll({ containers: containers(...ids) });

		expect(error).toMatchObject({ httpCode: '403' });
		expect(service.requests.filter(({ path }) => isRules(path)).length).toBeLessThanOrEqual(4);
	});

	it('is asked for again where the service limits requests', async () => {
		const limited = { status: 429, headers: { 'retry-after': '0' } };
		const polling = start('drmChanged', { options: { maxRetries: 1 } });
		await polling.poll({ containers: containers('a'), rules: { a: { opens: 1 } } });
		service.scope().get('/containers/a/drm').reply(limited.status, {}, limited.headers);

		const { emitted, error } = await polling.poll({
			containers: containers('a'),
			rules: { a: { opens: 2 } },
		});

		expect(error).toBeUndefined();
		expect(emitted).toHaveLength(1);
	});
});

describe('the items of an event', () => {
	const day = dayFromNow(3, 'UTC');
	const rules = { dynamic: true, recipients: ['b@example.com'], time: { end: day } };

	it.each([
		['a plain record', { uuid: 'new', name: 'New', size: 3 }],
		['an envelope', { org_id: 'user-1', container: { uuid: 'new', name: 'New' } }],
	])('hold a new container as it is listed: %s', async (_form, record) => {
		const polling = start('containerCreated');
		await polling.poll({ containers: [] });

		expect((await polling.poll({ containers: [record] })).emitted).toEqual([record]);
	});

	it('hold identifier and name of a deleted container', async () => {
		const polling = start('containerDeleted');
		await polling.poll({ containers: [...containers('a'), { uuid: 'b' }, { uuid: 'c' }] });

		expect((await polling.poll({ containers: [{ uuid: 'c' }] })).emitted).toEqual([
			{ containerId: 'a', name: 'Name of a' },
			{ containerId: 'b' },
		]);
	});

	it('hold the rules as they are now, and which of them changed', async () => {
		const polling = start('drmChanged');
		await polling.poll({ containers: containers('a'), rules: { a: { opens: 5, ...rules } } });

		const { emitted } = await polling.poll({
			containers: containers('a'),
			rules: { a: { ...rules, recipients: ['c@example.com'] } },
		});

		expect(emitted).toEqual([
			{
				containerId: 'a',
				name: 'Name of a',
				changedRules: ['opens', 'recipients'],
				rules: { ...rules, recipients: ['c@example.com'] },
			},
		]);
	});

	it('hold the last day of access, and the days left', async () => {
		const polling = start('accessEnding', {}, { timezone: 'UTC' });
		await polling.poll({ containers: [] });

		const { emitted } = await polling.poll({ containers: containers('a'), rules: { a: rules } });

		expect(emitted).toEqual([
			{ containerId: 'a', name: 'Name of a', endsOn: day, daysLeft: 3, rules },
		]);
	});

	it('hold contacts as they are listed, and the address of a deleted one', async () => {
		const before = { email: 'a@example.com', company: 'One' };
		const after = { email: 'a@example.com', company: 'Two', tags: ['x'] };
		const created = start('contactCreated');
		const changed = start('contactChanged');
		const deleted = start('contactDeleted');
		await created.poll({ contacts: [] });
		for (const polling of [changed, deleted]) await polling.poll({ contacts: [before] });

		expect((await created.poll({ contacts: [after] })).emitted).toEqual([after]);
		expect((await changed.poll({ contacts: [after] })).emitted).toEqual([after]);
		expect((await deleted.poll({ contacts: [], times: 2 })).emitted).toEqual([
			{ email: 'a@example.com' },
		]);
	});

	it('hold no key, whatever the service echoes', async () => {
		const polling = start('containerDeleted');
		const { apiKey } = defaultCredentials;
		await polling.poll({ containers: [{ uuid: 'a', name: `Made with ${apiKey}` }] });
		const { items, staticData } = await polling.poll({ containers: [], times: 2 });

		expect(items?.[0]).toHaveLength(1);
		expect(JSON.stringify([items, staticData])).not.toContain(apiKey);
	});
});

describe('a list', () => {
	const plain = ['a', 'b'].map((uuid) => ({ uuid, name: uuid }));
	const envelopes = plain.map((container) => ({ org_id: 'user-1', container }));

	it.each([
		['an array of records', plain],
		['an array of envelopes', envelopes],
		['records under containers', { containers: plain, total: 2 }],
		['envelopes under data', { data: envelopes }],
		['a list one level further down', { data: { items: plain } }],
		['bare identifiers', ['a', 'b']],
		['entries among nulls', [null, plain[0], null, plain[1]]],
	])('may be %s', async (_shape, answer) => {
		const polling = start('containerCreated');
		await polling.poll({ containers: plain.slice(0, 1) });
		const { emitted, error } = await polling.poll({ containers: answer });

		expect(error).toBeUndefined();
		expect(emitted).toHaveLength(1);
		expect(JSON.stringify(emitted[0])).toContain('b');
		expect((await polling.poll({ containers: plain })).items).toBeNull();
	});

	it.each([
		['text', 'Hello'],
		['an object without a list', { message: 'Hello' }],
		['a web page', '<html><body>Portal</body></html>'],
		['half of one', '[{"uuid":"a"},'],
		['one whose entries nothing tells apart', [{ title: 'a' }, { title: 'b' }]],
	])('that is %s fails the poll and leaves the memory', async (_shape, answer) => {
		const polling = start('containerDeleted');
		await polling.poll({ containers: plain });
		const before = structuredClone(polling.staticData);

		const { error, items } = await polling.poll({ containers: answer });

		expect(error).toBeInstanceOf(NodeApiError);
		expect(items).toBeNull();
		expect(polling.staticData).toEqual(before);
	});

	describe('of several pages', () => {
		const page = (number: number, uuid: string, next?: number, status = 200) =>
			service
				.scope()
				.get(`${LIST.replace('/api/v1', '')}?page=${number}`)
				.reply(
					status,
					[{ uuid }],
					next === undefined ? {} : { link: `<${LIST}?page=${next}>; rel="next"` },
				);
		const first = {
			status: 200,
			body: [{ uuid: 'a' }],
			headers: { link: `<${LIST}?page=2>; rel="next"` },
		};

		it('is read to its end', async () => {
			const polling = start('containerCreated');
			page(2, 'b', 3);
			page(3, 'c');
			await polling.poll({ containers: first });
			page(2, 'b', 3);
			page(3, 'c', 4);
			page(4, 'd');

			expect(uuids((await polling.poll({ containers: first })).emitted)).toEqual(['d']);
		});

		it('fails the poll and leaves the memory where a page cannot be read', async () => {
			const polling = start('containerDeleted');
			page(2, 'b');
			await polling.poll({ containers: first });
			const before = structuredClone(polling.staticData);
			page(2, 'b', undefined, 500);

			const { error } = await polling.poll({ containers: first });

			expect(error).toBeInstanceOf(NodeApiError);
			expect(polling.staticData).toEqual(before);
		});
	});
});

describe('a test in the editor', () => {
	const manual = { mode: 'manual' as const };
	const seven = manyIds(7);

	it.each([
		['containerCreated', containers(...seven.slice(0, 5))],
		[
			'containerDeleted',
			seven.slice(0, 5).map((id) => ({ containerId: id, name: `Name of ${id}` })),
		],
	])('shows a few containers as %s would emit them', async (event, expected) => {
		const polling = start(event);
		const { emitted, staticData } = await polling.poll(
			{ containers: containers(...seven) },
			manual,
		);

		expect(emitted).toEqual(expected);
		expect(staticData).toEqual({});
	});

	it.each([
		['contactCreated', { email: 'a@example.com', company: 'X' }],
		['contactChanged', { email: 'a@example.com', company: 'X' }],
		['contactDeleted', { email: 'a@example.com' }],
	])('shows contacts as %s would emit them', async (event, expected) => {
		const contacts = [{ email: 'a@example.com', company: 'X' }];
		const { emitted, staticData } = await start(event).poll({ contacts }, manual);

		expect(emitted).toEqual([expected]);
		expect(staticData).toEqual({});
	});

	it('shows rules, of a few containers only', async () => {
		const many = manyIds(300);
		const rules = Object.fromEntries(many.slice(0, 10).map((id) => [id, { opens: 3 }]));

		const { emitted } = await start('drmChanged').poll(
			{ containers: containers(...many), rules },
			manual,
		);

		expect(emitted).toHaveLength(5);
		expect(emitted[0]).toEqual({
			containerId: 'c-1',
			name: 'Name of c-1',
			changedRules: ['opens'],
			rules: { opens: 3 },
		});
	});

	it('shows an end of access, also one that is not near', async () => {
		const end = dayFromNow(90, 'UTC');
		const { emitted } = await start('accessEnding', {}, { timezone: 'UTC' }).poll(
			{ containers: containers('a', 'b'), rules: { a: {}, b: { time: { end } } } },
			manual,
		);

		expect(emitted).toEqual([
			{
				containerId: 'b',
				name: 'Name of b',
				endsOn: end,
				daysLeft: 90,
				rules: { time: { end } },
			},
		]);
	});

	it.each([
		['containerCreated', { containers: [] }, 'no container'],
		['contactDeleted', { contacts: [] }, 'no contact'],
		['accessEnding', { containers: containers('a'), rules: { a: {} } }, 'end of access'],
	])('says so where there is nothing for %s', async (event, answers, words) => {
		const { error, items } = await start(event).poll(answers, manual);

		expect(items).toBeNull();
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error?.message).toContain(words);
		expect((error as NodeApiError).description).toContain('activate the workflow');
	});

	it('leaves what an active workflow remembers', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });
		const before = structuredClone(polling.staticData);

		await polling.poll({ containers: containers('a', 'b') }, manual);

		expect(polling.staticData).toEqual(before);
		const { emitted } = await polling.poll({ containers: containers('a', 'b') });
		expect(emitted).toEqual(containers('b'));
	});
});

describe('what is remembered', () => {
	it('starts anew for another service', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });
		const other = { baseUrl: 'https://share.example.com/api/v2', apiKey: 'key-of-version-two' };
		nock(other.baseUrl).get('/me').reply(200, { id: 'user-1' });
		nock(other.baseUrl).get('/users/user-1/containers').reply(200, containers('b', 'c'));

		const { items, error } = await polling.poll({}, { credentials: other });

		expect(error).toBeUndefined();
		expect(items).toBeNull();
	});

	it('starts anew for the key of another user, and goes on for another key of the same', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });

		const same = meOf('another-key-of-the-same-user');
		const sameUser = await polling.poll(
			{ containers: containers('a', 'b') },
			{ credentials: same },
		);
		expect(sameUser.emitted).toEqual(containers('b'));

		const other = meOf('a-key-of-another-user', 200, { id: 'user-2' });
		const otherUser = await polling.poll(
			{ containers: containers('x', 'y'), userId: 'user-2' },
			{ credentials: other },
		);
		expect(otherUser.items).toBeNull();
	});

	it('starts anew for another user of the same key', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });
		polling.set({ options: { userId: 'user-7' } });

		expect(
			(await polling.poll({ containers: containers('b'), userId: 'user-7' })).items,
		).toBeNull();
		const { emitted } = await polling.poll({ containers: containers('b', 'c'), userId: 'user-7' });
		expect(emitted).toEqual(containers('c'));
	});

	it.each([
		['containerCreated', 15],
		['containerDeleted', 90],
		['drmChanged', 71],
		['accessEnding', 15],
		['contactCreated', 15],
		['contactChanged', 23],
		['contactDeleted', 35],
	])('is small for %s: at most %i bytes for each of many', async (event, most) => {
		const count = 10_000;
		const ids = manyIds(count).map((id) => `${id}-4b1d-4c7a-9e36-2b7d1f4a6c90`.padStart(36, '0'));
		const polling = start(event, { options: { maxConcurrent: 100, maxRetries: 0 } });
		const end = dayFromNow(1, 'UTC');
		const needsRules = event === 'drmChanged' || event === 'accessEnding';
		const polled = needsRules ? ids.slice(0, 200) : ids;
		const rules = Object.fromEntries(polled.map((id) => [id, { time: { end }, opens: 1 }]));

		const { error } = await polling.poll(
			event.startsWith('contact')
				? { contacts: polled.map((_id, number) => ({ email: `some.one.${number}@example.com` })) }
				: {
						containers: polled.map((uuid) => ({ uuid, name: `Contract ${uuid}` })),
						rules: needsRules ? rules : {},
					},
		);

		expect(error).toBeUndefined();
		const bytes = Buffer.byteLength(JSON.stringify(polling.staticData));
		process.stdout.write(`${event}: ${polled.length} records are remembered in ${bytes} bytes\n`);
		expect(bytes / polled.length).toBeLessThan(most + 1);
	});

	it('is forgotten with what it is about', async () => {
		for (const event of ['containerCreated', 'containerDeleted']) {
			const polling = start(event);
			await polling.poll({ containers: containers(...manyIds(500)) });
			await polling.poll({ containers: containers('c-1') });

			const small = start(event);
			await small.poll({ containers: containers('c-1') });
			expect(polling.staticData).toEqual(small.staticData);
		}
	});
});

describe('days', () => {
	const FAR_EAST = 'Pacific/Kiritimati';
	const FAR_WEST = 'Pacific/Pago_Pago';

	it.each([
		['a day', dayFromNow(0, FAR_EAST)],
		['a moment of that day', `${dayFromNow(0, FAR_EAST)}T12:00:00+14:00`],
	])('are those of the time zone of the workflow, from %s', async (_form, end) => {
		const rules = { a: { time: { end } } };
		const emittedIn = async (timezone: string, withinDays: number) => {
			const polling = start('accessEnding', { withinDays }, { timezone });
			await polling.poll({ containers: [] });
			return (await polling.poll({ containers: containers('a'), rules })).emitted;
		};
		expect(await emittedIn(FAR_EAST, 0)).toEqual([expect.objectContaining({ daysLeft: 0 })]);

		if (end.includes('T')) {
			const inTheWest = dayFromNow(0, FAR_WEST);
			const [item] = await emittedIn(FAR_WEST, 7);
			const endsInTheWest = new Intl.DateTimeFormat('sv-SE', { timeZone: FAR_WEST });
			expect(item?.endsOn).toBe(endsInTheWest.format(new Date(end)));
			expect(item?.daysLeft).toBe(
				(Date.parse(String(item?.endsOn)) - Date.parse(inTheWest)) / 864e5,
			);
		} else {
			expect(await emittedIn(FAR_WEST, 0)).toEqual([]);
			const [item] = await emittedIn(FAR_WEST, 2);
			expect(item).toMatchObject({ endsOn: end });
			expect(item?.daysLeft).toBeGreaterThan(0);
		}
	});

	it('are counted whole', async () => {
		const ends = { a: dayFromNow(7, 'UTC'), b: dayFromNow(8, 'UTC'), c: dayFromNow(0, 'UTC') };
		const rules = Object.fromEntries(
			Object.entries(ends).map(([id, end]) => [id, { time: { end } }]),
		);
		const polling = start('accessEnding', { withinDays: 7 }, { timezone: 'UTC' });
		await polling.poll({ containers: [] });

		const { emitted } = await polling.poll({ containers: containers('a', 'b', 'c'), rules });

		expect(emitted.map(({ containerId, daysLeft }) => [containerId, daysLeft])).toEqual([
			['a', 7],
			['c', 0],
		]);
	});
});

describe('two polls at once', () => {
	it('are one: the second waits for nothing and emits nothing', async () => {
		const parameters = { event: 'containerCreated', options: { maxRetries: 0 } };
		const polling = new Polling(service, parameters);
		await polling.poll({ containers: containers('a') });
		const { staticData } = polling;
		service.scope().get('/users/user-1/containers').delay(200).reply(200, containers('a', 'b'));

		const [first, second] = await Promise.all([
			runPoll({ parameters, staticData }),
			runPoll({ parameters, staticData }),
		]);

		expect([first.items?.[0]?.length, second.items]).toEqual([1, null]);
		expect(second.staticData).toEqual(staticData);
	});
});

describe('what goes wrong', () => {
	it.each([
		[401, 'API key'],
		[403, 'may not list the containers'],
		[404, 'found nothing'],
		[429, 'limits requests'],
		[500, 'could not list the containers'],
	])('is a NodeApiError with the status: %i', async (status, words) => {
		const { apiKey } = defaultCredentials;
		const { error, log } = await start('containerCreated').poll({
			containers: { status, body: { message: `No, ${apiKey}` } },
		});

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ httpCode: String(status) });
		expect(error?.message).toContain(words);
		expect(JSON.stringify([error, error?.stack, log])).not.toContain(apiKey);
	});

	it('is a NodeApiError where the service cannot be reached', async () => {
		service
			.scope()
			.get('/users/user-1/containers')
			.replyWithError(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));

		const { error } = await start('containerCreated').poll({});

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error?.message).toContain('refuses connections');
	});

	it.each([
		['an event that does not exist', { event: 'opened' }, 'Event'],
		['days below zero', { event: 'accessEnding', withinDays: -1 }, 'Within Days'],
		['days that are none', { event: 'accessEnding', withinDays: 'x' }, 'Within Days'],
		['a user that is no segment', { options: { userId: '..' } }, 'User ID'],
		['a limit out of bounds', { options: { maxConcurrent: 0 } }, 'Max Concurrent Requests'],
	])('is a NodeApiError for %s, and nothing is sent', async (_what, parameters, label) => {
		const { error } = await runPoll({ parameters: { event: 'containerCreated', ...parameters } });

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error?.message).toContain(`"${label}"`);
		expect((error as NodeApiError).description).not.toBe('');
		expect(service.requests).toEqual([]);
	});

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

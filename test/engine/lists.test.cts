import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runListSearch, runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { encode } from './support/encode.cts';
import {
	containersPath as path,
	expectRefusal,
	inputItemId,
	itemsWith,
	operation,
	outputOf,
	sequential,
	userId,
} from './support/operations.cts';
import { Polling } from './support/polling.cts';

const service = mockService();

const all = { returnAll: true };
const list = operation('container: getAll');
const numbered = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_value, index) => ({ uuid: `c-${from + index}` }));
const query = (...parameters: IDataObject[]) => ({ query: { parameters } });

describe('Get Many', () => {
	it('links every item to its input: one to many, many to many, none for an empty list', async () => {
		const entries = [
			{ org_id: 'user-1', container: { uuid: 'c-1', name: 'Envelope' } },
			{ uuid: 'c-2', name: 'Plain' },
			{ id: 3, name: null, nested: { a: [1, { b: null }] } },
		];
		for (const part of ['a', 'b', 'c']) {
			const body = part === 'b' ? [] : [null, ...entries];
			service.get(path).query({ of: part }).reply(200, body);
		}
		const ofPart = query({ name: 'of', value: '={{ $json.id }}' });
		const more = { items: itemsWith('a', 'b', 'c'), next: inputItemId };

		const { items, next: inputs } = await list(all, ofPart, more);

		const links = [0, 0, 0, 2, 2, 2];
		const shown = ['c-1', 'c-2', '3'].map((id, index) => ({ containerId: id, ...entries[index] }));
		expect(items.map(({ json }) => json)).toEqual([...shown, ...shown]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(links.map((item) => ({ item })));
		expect(inputs).toEqual(links.map((item) => ({ id: 'abc'[item] })));
	});

	it.each([
		['50 entries unless Limit is set', {}, 50],
		['the entered number', { limit: 3 }, 3],
		['all with Return All, also in text', { returnAll: '={{ "true" }}', limit: 1 }, 60],
	])('returns %s', async (_what, parameters, expected) => {
		// Where the limit is reached, nobody needs the rest.
		const more = expected < 60 ? { total: 70 } : {};
		service.get(path).reply(200, { data: numbered(1, 60), ...more });

		const shown = numbered(1, expected).map(({ uuid }) => ({ containerId: uuid, uuid }));
		expect(await outputOf(list(parameters))).toEqual(shown);
	});

	it.each<[IDataObject, IDataObject, string]>([
		[{ limit: 0 }, {}, '"Limit" must be a whole number, 1 or more'],
		[{ returnAll: '={{ "no" }}' }, {}, '"Return All" must be true or false'],
		[all, query({ name: 'sort', value: '={{ {} }}' }), '"Query Parameters > Value" is not text'],
		[all, query({ name: '={{ $json.no }}', value: 'x' }), '"Query Parameters > Name" is empty'],
	])('is refused before anything is sent: %j, %j', async (parameters, options, message) => {
		await expectRefusal(service, list(parameters, options), message);
	});

	it('adds the query encoded, in order, with repeated names, without nameless rows', async () => {
		const sent = `${path}?sort=name&tag=a%26b%3Dc&tag=%C3%BC+%23&all=`;
		service.get(sent).reply(200, []);
		const rows = [
			{ name: ' sort ', value: 'name' },
			{ name: '', value: 'ignored' },
			{ name: 'tag', value: 'a&b=c' },
			{ name: 'tag', value: 'ü #' },
			{ value: 'ignored' },
			{ name: 'all' },
		];

		await outputOf(list(all, query(...rows)));

		expect(service.requests[0].path).toBe(`/api/v1${sent}`);
	});

	it.each<[IDataObject, IDataObject, number]>([
		[{ limit: 3 }, query({ name: 'page', value: '5' }), 2],
		[{ limit: 3 }, { nameContains: 'c' }, 0],
		[{ limit: 3 }, { createdAfter: '2020-01-01' }, 0],
	])('returns a part where that is asked for, and says why: %j, %j', async (...row) => {
		const [parameters, options, count] = row;
		const data = ['c-1', 'c-2'].map((name) => ({ uuid: name, name, created_date: '2026-01-01' }));
		service.get(/containers/).reply(200, { data, total: 250 });

		const { error, items, run } = await list(parameters, options);

		expect([items.length, error === undefined]).toEqual([count, count > 0]);
		const message = count > 0 ? run.hints?.[0].message : error?.message;
		expect(message).toMatch(/there might be more .*because "total" is 250, /i);
	});

	it.each(['https://elsewhere.example.com/api/v1/next', 'http://other.example.com/next'])(
		'fetches no page elsewhere, which ends the list with an error: %s',
		async (link) => {
			service.get(path).reply(200, { data: numbered(1, 2), next: link });

			expect((await list(all)).error?.message).toMatch(/next page on https/);
			expect(service.requests).toHaveLength(1);
		},
	);
});

type Segment = 'containers' | 'contacts';

interface Result {
	error?: { message: string; description?: string | null };
	found: unknown[];
}

const CONTAINERS = [
	{ uuid: 'c-1', name: 'One' },
	{ uuid: 'c-2', name: 'Two' },
];
const CONTACTS = [{ email: 'c-1@example.com' }, { email: 'c-2@example.com' }];

const idOf = (json: object) => {
	const { uuid, containerId: id = uuid, email = id } = json as Record<string, unknown>;
	return email;
};

const runAny = async (parameters: object, items?: object[]): Promise<Result> => {
	const { options = {}, ...others } = parameters as { options?: object };
	const result = await runNode({
		parameters: { ...others, options: { ...sequential, userId, ...options } } as INodeParameters,
		...(items === undefined ? {} : { items: items.map((json) => ({ json: { ...json } })) }),
	});
	return { error: result.error, found: result.items.map(({ json }) => idOf(json)) };
};

const pick = async (method: string): Promise<Result> => {
	try {
		const { results } = await runListSearch({ method, parameters: { options: { userId } } });
		return { found: results.map(({ value }) => value) };
	} catch (error) {
		return { error: error as Error, found: [] };
	}
};

/** A poll that can find what the one before, without any entry, did not. */
const poll = (event: string, segment: Segment) => async (prepare: () => void) => {
	const polling = new Polling(service, { event, withinDays: 7, options: { maxRetries: 0 } });
	await polling.poll({ [segment]: [] });
	prepare();
	const { emitted, error } = await polling.poll({});
	return { error, found: emitted.map(idOf) };
};

const contact = (operation: string, options: object) => {
	const fields = { email: '={{ $json.email }}', dataToSend: 'json', bodyJson: '={{ {} }}' };
	return { resource: 'contact', operation, ...fields, options };
};

interface Reader {
	reader: string;
	segment: Segment;
	/** Of its first page. */
	query?: string;
	read: (prepare: () => void) => Promise<Result>;
}

const after =
	(read: () => Promise<Result>): Reader['read'] =>
	async (prepare) => {
		prepare();
		return await read();
	};

const getAll = (resource: string) =>
	after(async () => await runAny({ resource, operation: 'getAll', returnAll: true }));

const failIfExists = after(async () => {
	const { error } = await encode({ name: 'Two' }, { ifExists: 'fail' });
	const isFound = /"Two" already exists/.test(error?.message ?? '');
	return isFound ? { found: ['c-1', 'c-2'] } : { error, found: [] };
});

const READERS: Reader[] = [
	{ reader: 'Get Many', segment: 'containers', read: getAll('container') },
	{ reader: 'Get Many', segment: 'contacts', read: getAll('contact') },
	{
		reader: 'Encode, if it exists',
		segment: 'containers',
		query: '?name=Two',
		read: failIfExists,
	},
	{
		reader: 'Sync',
		segment: 'contacts',
		read: after(async () => {
			const parameters = { ...contact('sync', {}), dryRun: true, deleteMissing: true };
			return await runAny(parameters, CONTACTS);
		}),
	},
	{
		reader: 'Skip Unchanged',
		segment: 'contacts',
		read: after(async () => await runAny(contact('upsert', { skipUnchanged: true }), CONTACTS)),
	},
	{
		reader: 'the trigger',
		segment: 'containers',
		read: poll('containerCreated', 'containers'),
	},
	{
		reader: 'the trigger',
		segment: 'contacts',
		read: poll('contactCreated', 'contacts'),
	},
	{
		reader: 'the picker',
		segment: 'containers',
		read: after(async () => await pick('searchContainers')),
	},
	{
		reader: 'the picker',
		segment: 'contacts',
		read: after(async () => await pick('searchContacts')),
	},
];

const NO_LIST = /instead of a list/;

// What a list looks like, and where it goes on, is tested in test/unit. Here is who accepts what.
describe.each(READERS)('a list of $segment, read by $reader,', (row) => {
	const { segment } = row;
	const entries = segment === 'containers' ? CONTAINERS : CONTACTS;
	const respond = (status: number, body: unknown, query = row.query ?? '') =>
		service.scope().get(`/users/${userId}/${segment}${query}`).reply(status, JSON.stringify(body));
	const firstPage = { data: [entries[0]], total: 2, next_page_url: '?page=2' };

	it('is complete on two pages', async () => {
		const { error, found } = await row.read(() => {
			respond(200, firstPage);
			respond(200, { data: [entries[1]], total: 2, next_page_url: null }, '?page=2');
		});
		expect(error?.message).toBeUndefined();
		expect(found).toEqual(entries.map(idOf));
	});

	it('is an error when nothing leads to its rest, unless there is something to show', async () => {
		const { error, found } = await row.read(() => {
			respond(200, { items: entries, next_page_token: 'abc' });
		});
		if (row.reader === 'the picker') return expect(found).toEqual([...entries.map(idOf), '']);
		expect(error?.message).toMatch(/2 entries, but there might be more/);
		expect(found).toEqual([]);
	});

	it.each<[string, unknown, RegExp]>([
		['is not found', { items: entries, others: entries }, NO_LIST],
		['reports a failure', { data: [], success: false, message: 'Denied' }, /Denied|failure/],
		['has a page that fails', firstPage, /status 500/],
	])('is an error when it %s', async (_what, body, message) => {
		const { error, found } = await row.read(() => {
			respond(200, body);
			if (body === firstPage) respond(500, {}, '?page=2');
		});
		expect(error?.message).toMatch(message);
		expect(found).toEqual([]);
	});
});

import type { INodeParameters } from 'n8n-workflow';
import { runListSearch, runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { encode } from './support/encode.cts';
import { contactEmail, containerId, sequential, userId } from './support/operations.cts';
import { Polling } from './support/polling.cts';

// Which shapes of lists, records, errors and dates there are is tested in test/unit. Here is who accepts which.

const service = mockService();

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

const run = async (parameters: object, items?: object[]): Promise<Result> => {
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
	/** What is missing in the list counts as deleted or created. */
	isCertain?: true;
	/** What is missing in the list is written. */
	writes?: true;
	read: (prepare: () => void) => Promise<Result>;
}

const after =
	(read: () => Promise<Result>): Reader['read'] =>
	async (prepare) => {
		prepare();
		return await read();
	};

const getAll = (resource: string) =>
	after(async () => await run({ resource, operation: 'getAll', returnAll: true }));

const failIfExists = after(async () => {
	service.scope().get('/containers/c-2').optionally().reply(200, CONTAINERS[1]);
	const { error } = await encode({ name: 'Two' }, { ifExists: 'fail' });
	const isFound = /"Two" already exists/.test(error?.message ?? '');
	return isFound ? { found: ['c-1', 'c-2'] } : { error, found: [] };
});

const READERS: Reader[] = [
	{ reader: 'Get Many', segment: 'containers', read: getAll('container') },
	{ reader: 'Get Many', segment: 'contacts', read: getAll('contact') },
	{ reader: 'Encode, if it exists', segment: 'containers', writes: true, read: failIfExists },
	{
		reader: 'Sync',
		segment: 'contacts',
		isCertain: true,
		read: after(async () => await run(contact('sync', { dryRun: true }), CONTACTS)),
	},
	{
		reader: 'Skip Unchanged',
		segment: 'contacts',
		writes: true,
		read: after(async () => await run(contact('upsert', { skipUnchanged: true }), CONTACTS)),
	},
	{
		reader: 'the trigger',
		segment: 'containers',
		isCertain: true,
		read: poll('containerCreated', 'containers'),
	},
	{
		reader: 'the trigger',
		segment: 'contacts',
		isCertain: true,
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

describe.each(READERS)('a list of $segment, read by $reader,', (row) => {
	const { segment, isCertain, writes } = row;
	const entries = segment === 'containers' ? CONTAINERS : CONTACTS;
	const url = `https://share.example.com/api/v1/users/${userId}/${segment}`;
	const respond = (body: unknown, query = '') =>
		service.scope().get(`/users/${userId}/${segment}${query}`).reply(200, JSON.stringify(body));

	it('is complete on one page', async () => {
		const { error, found } = await row.read(() =>
			respond({ count: 2, next: null, results: entries }),
		);
		expect(error?.message).toBeUndefined();
		expect(found).toEqual(entries.map(idOf));
	});

	it('is complete on two pages', async () => {
		const { error, found } = await row.read(() => {
			respond({ data: [entries[0]], total: 2, next_page_url: `${url}?page=2` });
			respond({ data: [entries[1]], total: 2, next_page_url: null }, '?page=2');
		});
		expect(error?.message).toBeUndefined();
		expect(found).toEqual(entries.map(idOf));
	});

	it.each<[string, unknown, RegExp]>([
		['goes on', { items: entries, next_page_token: 'abc' }, /2 entries, but there might be more/],
		['is not found', { Items: entries, TotalCount: 2 }, NO_LIST],
		['is left out', { total: 0 }, NO_LIST],
		['reports a failure', { data: [], success: '0' }, /reports a failure/],
	])('is an error when it %s', async (_what, body, message) => {
		const { error, found } = await row.read(() => respond(body));
		expect(error?.message).toMatch(message);
		expect(found).toEqual([]);
	});

	it('can be null, unless what is missing counts as deleted', async () => {
		if (writes) return;
		const { error, found } = await row.read(() => respond(null));
		if (isCertain) expect(error?.message).toMatch(NO_LIST);
		else expect(error?.message).toBeUndefined();
		expect(found).toEqual([]);
	});
});

const container = { containerId: containerId('c-1') };
const fields = { email: 'a@example.com', dataToSend: 'json', bodyJson: '{ "company": "X" }' };
const rules = { ...container, specifyRules: 'fields', rules: { opens: 1 } };

/** Each call, with the method of its first request. */
const call = (resource: string, operation: string, method: string, parameters: object = {}) => ({
	name: `${resource}.${operation}`,
	method,
	send: async () => await run({ resource, operation, ...parameters }),
});

const CHANGES = [
	call('container', 'delete', 'DELETE', container),
	call('contact', 'delete', 'DELETE', { contactEmail: contactEmail('a@example.com') }),
	call('contact', 'upsert', 'PATCH', fields),
	call('drm', 'update', 'PATCH', { ...rules, options: { keepOtherRules: false } }),
];

const CALLS: Array<{ name: string; method: string; send: () => Promise<Result> }> = [
	...CHANGES,
	call('user', 'getMe', 'GET'),
	call('container', 'get', 'GET', container),
	call('container', 'getEnvelope', 'GET', container),
	call('container', 'getAll', 'GET'),
	call('drm', 'get', 'GET', container),
	call('drm', 'update', 'GET', rules),
	call('drm', 'revoke', 'GET', container),
	call('contact', 'getAll', 'GET'),
	call('contact', 'get', 'GET', { contactEmail: contactEmail('a@example.com') }),
	call('contact', 'sync', 'GET', fields),
	{
		name: 'container.encode',
		method: 'POST',
		send: async () => ({ found: [], ...(await encode({ name: 'One' })) }),
	},
	...['searchContainers', 'searchContacts'].map((name) => ({
		name,
		method: 'GET',
		send: async () => await pick(name),
	})),
];

const answer = (method: string, status: number, body: string) =>
	service
		.scope()
		.intercept(/.*/, method)
		.reply(status, body, { 'content-type': 'application/json' });

describe.each(CALLS)('what $name receives', ({ method, send }) => {
	it.each<[string, number, string, RegExp]>([
		[
			'a failure with a status of success',
			200,
			'{"result":null,"success":false,"error":{"message":"Locked"}}',
			/"Locked"|a JSON object with the fields|instead of a list/,
		],
		['no rows', 200, '0', /the JSON value 0|instead of a list/],
	])('is an error: %s', async (_shape, status, body, told) => {
		answer(method, status, body);

		const { error, found } = await send();

		expect(`${error?.message} ${error?.description ?? ''}`).toMatch(told);
		expect(found).toEqual([]);
		expect(service.requests).toHaveLength(1);
	});
});

describe.each(CHANGES)('a change by $name is done', ({ method, send }) => {
	it.each([
		[204, ''],
		[200, '{"success":"1","error":"","errors":[]}'],
	])('without a record: %i %s', async (status, body) => {
		answer(method, status, body);

		const { error, found } = await send();

		expect(error?.message).toBeUndefined();
		expect(found).toHaveLength(1);
	});
});

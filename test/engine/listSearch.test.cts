import type { IDataObject } from 'n8n-workflow';
import { runListSearch, type RunListSearchOptions } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { newKey, userId } from './support/operations.cts';

const service = mockService();

const forUser = { options: { userId } };
const searchContainers = async (more: Partial<RunListSearchOptions> = {}) =>
	await runListSearch({ method: 'searchContainers', parameters: forUser, ...more });
const searchContacts = async (more: Partial<RunListSearchOptions> = {}) =>
	await runListSearch({
		method: 'searchContacts',
		parameter: 'contactEmail',
		parameters: forUser,
		...more,
	});
const containersPath = `/users/${userId}/containers`;
const contactsPath = `/users/${userId}/contacts`;
const failed = async (search: Promise<unknown>) =>
	await search.then(
		() => undefined,
		(error: unknown) => error as Error & { description?: string },
	);

const containers = [
	{ org_id: userId, container: { uuid: '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90', name: 'Invoice' } },
	{ uuid: '77aa2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90', name: 'Invoice' },
	{ uuid: 'c-3', name: 'Contract' },
	{ id: 4, name: null },
];
const contacts = [
	{ email: 'anna@example.com', first_name: 'Anna', last_name: 'Ämter' },
	{ contact: { email: 'bob@example.com', first_name: '', last_name: 'Bär' } },
	{ email: 'dora@example.com', first_name: 'Dora', last_name: null },
	{ email: 'carl@example.com' },
	{ email: 'eve@example.com', name: '' },
];

describe('the list of containers', () => {
	it('shows names, and the start of the ID', async () => {
		service.get(containersPath).reply(200, containers);

		const { results } = await searchContainers();

		expect(results).toEqual([
			{ name: 'Invoice (5f0c2a4e)', value: '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90' },
			{ name: 'Invoice (77aa2a4e)', value: '77aa2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90' },
			{ name: 'Contract (c-3)', value: 'c-3' },
			{ name: '4', value: '4' },
		]);
	});

	it('shows the newest first, with the date to distinguish equal names', async () => {
		const named = (uuid: string, more: IDataObject) => ({ container: { uuid, ...more } });
		service
			.get(containersPath)
			.reply(200, [
				named('old-5f0c2a4e-8d1b', { name: 'Old' }),
				named('first', { name: 'Invoice', created_date: '2026-11-01T08:00:00.000Z' }),
				named('last', { name: 'Invoice', created_date: '2026-11-18T11:06:40.000Z' }),
				named('no-name', { created_date: '2026-11-02T00:00:00.000Z' }),
			]);

		const { results } = await searchContainers();

		expect(results).toEqual([
			{ name: 'Invoice (last, 2026-11-18)', value: 'last' },
			{ name: 'no-name (2026-11-02)', value: 'no-name' },
			{ name: 'Invoice (first, 2026-11-01)', value: 'first' },
			{ name: 'Old (old-5f0c)', value: 'old-5f0c2a4e-8d1b' },
		]);
	});

	it.each([
		['grüße', 'Gru\u0308ße 2026'],
		['2026 INVOICE', 'invoice for 2026'],
		['2026-11-01', 'Invoice'],
	])('finds %j in %j', async (filter, name) => {
		service.get(containersPath).reply(200, [
			{ uuid: 'c-1', name, created_date: '2026-11-01T00:00:00.000Z' },
			{ uuid: 'c-2', name: 'Other of 2026' },
		]);

		const { results } = await searchContainers({ filter });

		expect(results.map(({ value }) => value)).toEqual(['c-1']);
	});
});

describe('the list of contacts', () => {
	it('shows names and addresses', async () => {
		service.get(contactsPath).reply(200, { data: contacts });

		const { results } = await searchContacts();

		expect(results).toEqual([
			{ name: 'Anna Ämter (anna@example.com)', value: 'anna@example.com' },
			{ name: 'Bär (bob@example.com)', value: 'bob@example.com' },
			{ name: 'Dora (dora@example.com)', value: 'dora@example.com' },
			{ name: 'carl@example.com', value: 'carl@example.com' },
			{ name: 'eve@example.com', value: 'eve@example.com' },
		]);
	});
});

it.each([
	[searchContainers, '  contract ', 1],
	[searchContainers, '77aa2a4e-8d1b', 1],
	[searchContainers, '.*', 0],
	[searchContacts, 'ämter', 1],
	[searchContacts, 'BOB@', 1],
	[searchContacts, 'example.com', 5],
])('the matches of a text are shown: %p, %j, %i', async (search, filter, count) => {
	if (search === searchContainers) service.get(containersPath).reply(200, containers);
	else service.get(contactsPath).reply(200, contacts);

	expect((await search({ filter })).results).toHaveLength(count);
});

describe.each([
	['containers', searchContainers, containersPath, containers],
	['contacts', searchContacts, contactsPath, contacts],
] as const)('the list of %s', (what, search, path, entries) => {
	// With `{{` alone, the editor puts the `=` before it when somebody switches the field to an expression.
	it.each(['=', ' =', '\u200B=', '\uFEFF\u3164=', '\uFE0F=', '＝', '', '⩴'])(
		'has nothing that n8n would evaluate, after %j',
		async (before) => {
			const evaluated = `${before}{{ 1 }}`;
			const entry = (uuid: string, name: string) => ({ uuid, email: uuid, name, first_name: name });
			service
				.get(path)
				.reply(200, [entry(evaluated, 'Invoice'), entry('a@example.com', evaluated)]);

			const { results } = await search();

			expect(results).toEqual([
				{ name: expect.stringMatching(/^".*\{\{ 1 }}.*"$/) as string, value: 'a@example.com' },
			]);
		},
	);

	it.each(['=a@example.com', ' =a@example.com'])(
		'has no entry that n8n takes for an expression: %j',
		async (id) => {
			service.get(path).reply(200, [
				{ uuid: id, email: id },
				{ uuid: 'b@example.com', email: 'b@example.com', name: id, first_name: id },
			]);

			const { results } = await search();

			expect(results).toEqual([
				{ name: expect.stringMatching(/^"/) as string, value: 'b@example.com' },
			]);
		},
	);

	it('comes with the second attempt after an outage', async () => {
		service.get(path).reply(503, '', { 'retry-after': '0.1' });
		service.get(path).reply(200, entries);

		await expect(search()).resolves.toHaveProperty('results');
	});

	it('uses the Request Options of the node', async () => {
		const parameters = { ...forUser, requestOptions: { proxy: 'nonsense' } };

		await expect(search({ parameters })).rejects.toThrow('"Proxy" is not a URL');
	});

	it('says that there are more, where it does not get to them', async () => {
		service.get(path).reply(200, { items: entries, total: 250 });

		const { results } = await search();

		expect(results).toHaveLength(entries.length + 1);
		expect(results.at(-1)).toEqual({
			name: expect.stringMatching(
				`^There are more ${what}: choose By (ID|Email) to enter one$`,
			) as string,
			value: '',
		});
	});

	it('belongs to the user in the options, without an extra request', async () => {
		service.get(`/users/user%3F9/${what}`).reply(200, entries);

		await search({ parameters: { options: { userId: ' user?9 ' } } });

		expect(service.requests).toHaveLength(1);
	});

	it.each(['', '={{ $json.owner }}', ' '])(
		'belongs to the user of the API key when the user in the options is %j',
		async (entered) => {
			service.get('/me').reply(200, { id: 'user?7' });
			service.get(`/users/user%3F7/${what}`).reply(200, entries);

			await search({ parameters: { options: { userId: entered } }, credentials: newKey() });

			expect(service.requests).toHaveLength(2);
		},
	);

	it('explains what is wrong after an error, without the API key', async () => {
		const credentials = newKey();
		service.get(path).reply(403, { message: `Refused ${credentials.apiKey}` });

		const error = await failed(search({ credentials }));

		expect(error?.message).toMatch(/API key has no permission to list the \w+$/);
		expect(`${error?.message} ${error?.description}`).not.toContain(credentials.apiKey);
		expect(error?.description).toContain('Refused [hidden]');
		expect(service.requests).toHaveLength(1);
	});

	it('explains what is wrong with the base URL, and sends nothing', async () => {
		const error = await failed(search({ credentials: { baseUrl: 'http://share.example.com' } }));

		expect(error?.message).toMatch(/The Base URL in the credential/);
		expect(service.requests).toEqual([]);
	});
});

describe('a list that takes too long', () => {
	it('ends after ten seconds with what there is, or says what to do instead', async () => {
		const endless = '/users/endless/containers';
		const nextPage = (uri: string) => {
			const page = Number(new URL(uri, 'https://x.example').searchParams.get('page') ?? 1);
			return { data: [{ uuid: `c-${page}` }], next: `?page=${page + 1}` };
		};
		service.get(containersPath).delayConnection(60_000).reply(200, []);
		service.get(contactsPath).delay({ head: 0, body: 60_000 }).reply(200, []);
		service.get('/me').delayConnection(60_000).reply(200, { id: 'user-7' });
		service
			.scope()
			.persist()
			.get((uri) => uri.includes(endless))
			.delay(200)
			.reply(200, nextPage);

		const partly = searchContainers({ parameters: { options: { userId: 'endless' } } });
		const errors = await Promise.all([
			failed(searchContainers()),
			failed(searchContacts()),
			failed(searchContainers({ parameters: {}, credentials: newKey() })),
		]);

		const { results } = await partly;
		expect(results.length).toBeGreaterThan(10);
		expect(results.at(-1)?.name).toMatch(/^There are more containers/);
		const containersError = 'The service could not list the containers within 10 seconds';
		const contactsError = 'The service could not list the contacts within 10 seconds';
		expect(errors.map((error) => error?.message)).toEqual([
			containersError,
			contactsError,
			containersError,
		]);
		const advice = errors.map(({ description = '' } = new Error()) =>
			/Set the field to By \w+/.exec(description),
		);
		expect(advice.map((found) => found?.[0])).toEqual(
			['ID', 'Email', 'ID'].map((mode) => `Set the field to By ${mode}`),
		);
	}, 30_000);

	it.each([
		[429, /too many requests/],
		[503, /could not list the containers \(status 503\)/],
	])('names the reason at once when status %i asks to wait longer', async (status, message) => {
		service.get(containersPath).reply(status, '', { 'retry-after': '60' });

		const error = await failed(searchContainers());

		expect(error?.message).toMatch(message);
		expect(service.requests).toHaveLength(1);
	});
});

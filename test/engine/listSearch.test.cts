import type { IDataObject } from 'n8n-workflow';
import { runListSearch, type RunListSearchOptions } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { contactsPath, containersPath, newKey, userId } from './support/operations.cts';

const service = mockService();

const forUser = { options: { userId } };
const searchContainers = async (more: Partial<RunListSearchOptions> = {}) =>
	await runListSearch({ method: 'searchContainers', parameters: forUser, ...more });
const searchContacts = async (more: Partial<RunListSearchOptions> = {}) =>
	await runListSearch({
		...{ method: 'searchContacts', parameter: 'contactEmail', parameters: forUser },
		...more,
	});
const failed = async (search: Promise<unknown>) =>
	await search.then(
		() => undefined,
		(error: unknown) => error as Error & { description?: string },
	);

const named = (uuid: string, name: string | null, day?: number) => ({
	container: { uuid, name, ...(day && { created_date: `2026-11-${day}T08:00:00.000Z` }) },
});
const containers = [
	named('5f0c2a4e-8d1b', 'Invoice', 11),
	named('77aa2a4e-8d1b', 'Invoice', 18),
	{ uuid: 'c-3', name: 'Gru\u0308ße 2026' },
	named('4', null, 12),
];
const contacts = [
	{ email: 'anna@example.com', first_name: 'Anna', last_name: 'Ämter' },
	{ contact: { email: 'bob@example.com', first_name: '', last_name: 'Bär' } },
	{ email: 'dora@example.com', first_name: 'Dora', last_name: null },
	{ email: 'carl@example.com' },
];

it('containers are shown by name, the newest first, with what distinguishes equal names', async () => {
	service.get(containersPath).reply(200, containers);

	const { results } = await searchContainers();

	expect(results).toEqual([
		{ name: 'Invoice (77aa2a4e, 2026-11-18)', value: '77aa2a4e-8d1b' },
		{ name: '4 (2026-11-12)', value: '4' },
		{ name: 'Invoice (5f0c2a4e, 2026-11-11)', value: '5f0c2a4e-8d1b' },
		{ name: 'Gru\u0308ße 2026 (c-3)', value: 'c-3' },
	]);
});

it('contacts are shown by name and address', async () => {
	service.get(contactsPath).reply(200, { data: contacts });

	const { results } = await searchContacts();

	expect(results).toEqual([
		{ name: 'Anna Ämter (anna@example.com)', value: 'anna@example.com' },
		{ name: 'Bär (bob@example.com)', value: 'bob@example.com' },
		{ name: 'Dora (dora@example.com)', value: 'dora@example.com' },
		{ name: 'carl@example.com', value: 'carl@example.com' },
	]);
});

it.each([
	[searchContainers, 'grüße', 1],
	[searchContainers, '2026-11-18 INVOICE', 1],
	[searchContainers, '77aa2a4e-8d1b', 1],
	[searchContainers, '.*', 0],
	[searchContacts, '  ämter ', 1],
	[searchContacts, 'BOB@', 1],
	[searchContacts, 'example.com', 4],
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
	it.each(['={{ 1 }}', ' =a@example.com', '\uFEFF={{ 1 }}', '{{ 1 }}'])(
		'has nothing that n8n would evaluate: %j',
		async (text) => {
			const entry = (id: string, name: string) => ({ uuid: id, email: id, name, first_name: name });
			service.get(path).reply(200, [entry(text, 'Invoice'), entry('a@example.com', text)]);

			const { results } = await search();

			expect(results).toEqual([
				{ name: expect.stringMatching(/^"/) as string, value: 'a@example.com' },
			]);
		},
	);

	it('comes with the second attempt after an outage', async () => {
		service.get(path).reply(503, '', { 'retry-after': '0.1' });
		service.get(path).reply(200, entries);

		await expect(search()).resolves.toHaveProperty('results');
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

	it.each<[string, string, IDataObject | undefined]>([
		['the user in the options', ' user?9 ', undefined],
		['the user of the API key', '={{ $json.owner }}', { id: 'user?9' }],
		['the user of the API key', ' ', { id: 'user?9' }],
	])('belongs to %s: %j', async (_who, entered, me) => {
		if (me !== undefined) service.get('/me').reply(200, me);
		service.get(`/users/user%3F9/${what}`).reply(200, entries);

		await search({ parameters: { options: { userId: entered } }, credentials: newKey() });
	});

	it('ignores expressions in the settings, at any depth', async () => {
		service.get(path).reply(200, entries);
		const batch = { batchSize: '={{ $json.size }}', batchInterval: 1000 };

		await search({ parameters: { options: { userId }, requestOptions: { batching: { batch } } } });
	});

	it('explains what is wrong after an error, without the API key', async () => {
		const credentials = newKey();
		service.get(path).reply(403, { message: `Refused ${credentials.apiKey}` });

		const error = await failed(search({ credentials }));

		expect(error?.message).toMatch(/API key has no permission to list the \w+$/);
		expect(`${error?.message} ${error?.description}`).not.toContain(credentials.apiKey);
		expect(error?.description).toContain('Refused [hidden]');
	});

	it.each<[Partial<RunListSearchOptions>, RegExp]>([
		[{ credentials: { baseUrl: 'http://share.example.com' } }, /The Base URL in the credential/],
		[{ parameters: { requestOptions: { proxy: 'nonsense' } } }, /"Proxy" is not a URL/],
	])('explains what is wrong with the settings, and sends nothing: %j', async (more, message) => {
		expect((await failed(search(more)))?.message).toMatch(message);
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
		service.get(contactsPath).delay({ head: 0, body: 60_000 }).reply(200, []);
		service.get('/me').delayConnection(60_000).reply(200, { id: 'user-7' });
		service
			.scope()
			.persist()
			.get((uri) => uri.includes(endless))
			.delay(200)
			.reply(200, nextPage);

		const [partly, ...errors] = await Promise.all([
			searchContainers({ parameters: { options: { userId: 'endless' } } }),
			failed(searchContacts()),
			failed(searchContainers({ parameters: {}, credentials: newKey() })),
		]);

		const { results } = partly;
		expect(results.length).toBeGreaterThan(10);
		expect(results.at(-1)?.name).toMatch(/^There are more containers/);
		expect(errors).toEqual(
			[
				['contacts', 'Email'],
				['containers', 'ID'],
			].map(([what, mode]) =>
				expect.objectContaining({
					message: `The service could not list the ${what} within 10 seconds`,
					description: expect.stringContaining(`Set the field to By ${mode}`) as string,
				}),
			),
		);
	}, 30_000);

	it.each([
		[429, /too many requests/],
		[503, /could not list the containers \(status 503\)/],
	])('names the reason at once when status %i asks to wait longer', async (status, message) => {
		service.get(containersPath).reply(status, '', { 'retry-after': '60' });

		expect((await failed(searchContainers()))?.message).toMatch(message);
	});
});

import { runListSearch, type RunListSearchOptions } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { contactsPath, containersPath, newKey, userId } from './support/operations.cts';

const service = mockService();

type Search = (more?: Partial<RunListSearchOptions>) => ReturnType<typeof runListSearch>;
const parameters = { options: { userId } };
const searchContainers: Search = async (more = {}) =>
	await runListSearch({ method: 'searchContainers', parameters, ...more });
const searchContacts: Search = async (more = {}) =>
	await runListSearch({
		...{ method: 'searchContacts', parameter: 'contactEmail', parameters, ...more },
	});
const failed = async (search: Promise<unknown>) =>
	await search.then(
		() => undefined,
		(error: unknown) => error as Error & { description?: string },
	);

const named = (uuid: string, name: string | null, day: number) => ({
	container: { uuid, name, created_date: `2026-11-${day}T08:00:00.000Z` },
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
	{ email: 'carl@example.com' },
];

it('containers are shown by name, the newest first, with what distinguishes equal names', async () => {
	service.get(containersPath).reply(200, containers);

	expect((await searchContainers()).results).toEqual([
		{ name: 'Invoice (77aa2a4e, 2026-11-18)', value: '77aa2a4e-8d1b' },
		{ name: '4 (2026-11-12)', value: '4' },
		{ name: 'Invoice (5f0c2a4e, 2026-11-11)', value: '5f0c2a4e-8d1b' },
		{ name: 'Gru\u0308ße 2026 (c-3)', value: 'c-3' },
	]);
});

it('contacts are shown by name and address', async () => {
	service.get(contactsPath).reply(200, { data: contacts });

	expect((await searchContacts()).results).toEqual([
		{ name: 'Anna Ämter (anna@example.com)', value: 'anna@example.com' },
		{ name: 'Bär (bob@example.com)', value: 'bob@example.com' },
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
])('the matches of a text are shown: %p, %j, %i', async (search, filter, count) => {
	service.get(containersPath).optionally().reply(200, containers);
	service.get(contactsPath).optionally().reply(200, contacts);

	expect((await search({ filter })).results).toHaveLength(count);
});

describe.each([
	['containers', searchContainers, containersPath, containers],
	['contacts', searchContacts, contactsPath, contacts],
] as const)('the list of %s', (what, search, path, entries) => {
	// With `{{` alone, the editor puts the `=` before it when somebody switches the field to an expression.
	it.each([' ={{ 1 }}', '\uFEFF={{ 1 }}', '{{ 1 }}'])(
		'has nothing that n8n would evaluate: %j',
		async (text) => {
			const entry = (id: string, name: string) => ({ uuid: id, email: id, name, first_name: name });
			service.get(path).reply(200, [entry(text, 'Invoice'), entry('a@example.com', text)]);

			const { results } = await search();

			const name = expect.stringMatching(/^"/) as string;
			expect(results).toEqual([{ name, value: 'a@example.com' }]);
		},
	);

	it('comes with the second attempt after an outage, with a hint that there are more', async () => {
		service.get(path).reply(503, '', { 'retry-after': '0.1' });
		service.get(path).reply(200, { items: entries, total: 250 });

		const { results } = await search();

		expect(results).toHaveLength(entries.length + 1);
		const name = `^There are more ${what}: choose By (ID|Email) to enter one$`;
		expect(results.at(-1)).toEqual({ name: expect.stringMatching(name) as string, value: '' });
	});

	it.each([' user?9 ', '={{ $json.owner }}'])(
		'belongs to the user in the options, or that of the API key: %j',
		async (entered) => {
			if (entered.startsWith('=')) service.get('/me').reply(200, { id: 'user?9' });
			service.get(`/users/user%3F9/${what}`).reply(200, entries);

			await search({ parameters: { options: { userId: entered } }, credentials: newKey() });
		},
	);

	it('explains what is wrong after an error, without the API key', async () => {
		const credentials = newKey();
		service.get(path).reply(403, { message: `Refused ${credentials.apiKey}` });

		const error = await failed(search({ credentials }));

		expect(error?.message).toMatch(/API key has no permission to list the \w+$/);
		expect(error?.description).toContain('Refused [hidden]');
		expect(`${error?.message} ${error?.description}`).not.toContain(credentials.apiKey);
	});
});

it('a text of the service is one plain line of at most 500 characters', async () => {
	const name = `<a>\r\n\u202e${'long '.repeat(2000)}`;
	service.get(containersPath).reply(200, [{ uuid: 'c-1', name }]);

	const { results } = await searchContainers();

	expect(results[0].name).not.toMatch(/[<\p{Cc}\p{Cf}]/u);
	expect(results[0].name.length).toBe(501);
});

it('without HTTPS, nothing is sent', async () => {
	const credentials = { baseUrl: 'http://share.example.com' };

	expect((await failed(searchContainers({ credentials })))?.message).toMatch(/The Base URL in the/);
	expect(service.requests).toEqual([]);
});

describe('a list that takes too long', () => {
	it('ends after ten seconds with what there is, or says what to do instead', async () => {
		const nextPage = (uri: string) => {
			const page = Number(new URL(uri, 'https://x.example').searchParams.get('page') ?? 1);
			return { data: [{ uuid: `c-${page}` }], next: `?page=${page + 1}` };
		};
		service.get(contactsPath).delay({ head: 0, body: 60_000 }).reply(200, []);
		const endless = service.scope().persist();
		endless
			.get((uri) => uri.includes('/users/endless/'))
			.delay(200)
			.reply(200, nextPage);

		const [{ results }, error] = await Promise.all([
			searchContainers({ parameters: { options: { userId: 'endless' } } }),
			failed(searchContacts()),
		]);

		expect(results.length).toBeGreaterThan(10);
		expect(results.at(-1)?.name).toMatch(/^There are more containers/);
		expect(error).toMatchObject({
			message: 'The service could not list the contacts within 10 seconds',
			description: expect.stringContaining('Set the field to By Email') as string,
		});
	}, 30_000);

	it('names the reason at once when the service asks to wait longer', async () => {
		service.get(containersPath).reply(429, '', { 'retry-after': '60' });

		expect((await failed(searchContainers()))?.message).toMatch(/too many requests/);
	});
});

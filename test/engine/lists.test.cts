import type { IDataObject } from 'n8n-workflow';
import { runListSearch, type RunListSearchOptions } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { encode } from './support/encode.cts';
import { contactsPath, containersPath, newKey, operation, userId } from './support/operations.cts';
import { Polling } from './support/polling.cts';

const service = mockService();

const all = { returnAll: true };
type Search = (more?: Partial<RunListSearchOptions>) => ReturnType<typeof runListSearch>;
const parameters = { options: { userId } };
const searchContainers: Search = async (more = {}) =>
	await runListSearch({ method: 'searchContainers', parameters, ...more });
const searchContacts: Search = async (more = {}) =>
	await runListSearch({
		...{ method: 'searchContacts', parameter: 'contactEmail', parameters, ...more },
	});

interface Found {
	error?: Error;
	found: unknown[];
}

const PEOPLE = ['c-1@example.com', 'c-2@example.com'].map((email) => ({ email }));
const BOXES = ['One', 'Two'].map((name, index) => ({ uuid: `c-${index + 1}`, name }));
const idOf = ({ uuid, containerId = uuid, email = containerId }: IDataObject) => email;

const run = (name: string, parameters: IDataObject, options: IDataObject = {}) => {
	const execute = operation(name, { email: '={{ $json.email }}', ...parameters });
	return async (): Promise<Found> => {
		const items = PEOPLE.map((json) => ({ json }));
		const more = name.includes('getAll') ? {} : { items };
		const { error, items: output } = await execute({}, options, more);
		return { error, found: output.map(({ json }) => idOf(json)) };
	};
};
const pick = (search: Search) => async (): Promise<Found> => ({
	found: (await search()).results.map(({ value }) => value),
});
const failIfExists = async (): Promise<Found> => {
	const { error } = await encode({ name: 'Two' }, { ifExists: 'fail' });
	const isFound = error?.message.includes('"Two" already exists') === true;
	return isFound ? { found: ['c-1', 'c-2'] } : { error, found: [] };
};
/** A poll that can find what the one before, without any entry, did not. */
const poll = (event: string, segment: string) => async (prepare: () => void) => {
	const polling = new Polling(service, { event, options: { maxRetries: 0 } });
	await polling.poll({ [segment]: [] });
	prepare();
	const { emitted, error } = await polling.poll({});
	return { error, found: emitted.map(idOf) };
};
const after =
	(read: () => Promise<Found>) =>
	async (prepare: () => void): Promise<Found> => {
		prepare();
		return await read();
	};
const json = { dataToSend: 'json', bodyJson: '={{ {} }}' };

// What a list looks like, and where it goes on, is tested in test/unit. Here is who needs all of it.
describe.each<[string, string, (prepare: () => void) => Promise<Found>]>([
	['Get Many', 'containers', after(run('container: getAll', all))],
	['Get Many', 'contacts', after(run('contact: getAll', all))],
	['Encode, if it exists', 'containers?name=Two', after(failIfExists)],
	['Sync', 'contacts', after(run('contact: sync', { ...json, dryRun: true, deleteMissing: true }))],
	['Skip Unchanged', 'contacts', after(run('contact: upsert', json, { skipUnchanged: true }))],
	['the trigger', 'containers', poll('containerCreated', 'containers')],
	['the trigger', 'contacts', poll('contactCreated', 'contacts')],
	['the picker', 'containers', after(pick(searchContainers))],
	['the picker', 'contacts', after(pick(searchContacts))],
])('%s reads a list of %s', (reader, first, read) => {
	const entries = first.startsWith('containers') ? BOXES : PEOPLE;
	const ids = entries.map(idOf);
	const respond = (segment: string, body: unknown) =>
		service.get(`/users/${userId}/${segment}`).reply(200, body as never);

	it('to its end', async () => {
		const { error, found } = await read(() => {
			respond(first, { data: [entries[0]], total: 2, next_page_url: '?page=2' });
			const second = `${first.split('?')[0]}?page=2`;
			respond(second, { data: [entries[1]], total: 2, next_page_url: null });
		});

		expect(error?.message).toBeUndefined();
		expect(found).toEqual(ids);
	});

	it('and fails where nothing leads to its rest, unless there is something to show', async () => {
		const { error, found } = await read(() => {
			respond(first, { items: entries, next_page_token: 'abc' });
		});

		if (reader === 'the picker') return expect(found).toEqual([...ids, '']);
		expect(error?.message).toMatch(/2 entries, but there might be more/);
		expect(found).toEqual([]);
	});
});

describe('a picker', () => {
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
		{ uuid: 'c-3', name: 'Gru\u0308ße\n<2026>' },
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
			{ name: 'Gru\u0308ße ‹2026› (c-3)', value: 'c-3' },
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
		it.each([' ={{ 1 }}', '{{ 1 }}'])('has nothing that n8n would evaluate: %j', async (text) => {
			const entry = (id: string, name: string) => ({ uuid: id, email: id, name, first_name: name });
			service.get(path).reply(200, [entry(text, 'Invoice'), entry('a@example.com', text)]);

			const { results } = await search();

			const name = expect.stringMatching(/^"/) as string;
			expect(results).toEqual([{ name, value: 'a@example.com' }]);
		});

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
		});

		it('names the reason at once when the service asks to wait longer', async () => {
			service.get(containersPath).reply(429, '', { 'retry-after': '60' });

			expect((await failed(searchContainers()))?.message).toMatch(/too many requests/);
		});
	});
});

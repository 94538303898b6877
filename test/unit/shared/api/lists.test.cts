import { CONTACT_LIST, CONTAINER_LIST, fetchEntries } from '../../../../nodes/shared/api/lists';
import { baseUrl, errorOf, setUpClient } from '../../support/client.cts';

describe('a list that is fetched', () => {
	it.each([
		[CONTAINER_LIST, '/users/u/containers', [{ uuid: 'c-1' }], 'list the containers'],
		[CONTACT_LIST, '/users/u/contacts', [{ email: 'a@x.example' }], 'list the contacts'],
	])('has its path and its name: $segment', async (list, path, body, action) => {
		const { client, sent, replies } = setUpClient([{ body }]);
		const entries = await fetchEntries(client, list, 'u');
		expect(entries.map(({ record }) => record)).toEqual(body);
		expect(sent[0]).toMatchObject({ method: 'GET', url: `${baseUrl}${path}` });

		replies.push({ status: 403 });
		expect((await errorOf(fetchEntries(client, list, 'u'))).message).toContain(action);
	});

	it('is not whole where one of its records comes on two pages, whatever else changed in it', async () => {
		const toPage = (ids: string[], seen: number) => ({
			data: ids.map((uuid) => ({ uuid, seen })),
			total: 4,
		});
		const { client } = setUpClient([
			{ body: toPage(['a', 'b', 'c'], 1), headers: { link: '<?page=2>; rel="next"' } },
			{ body: toPage(['c'], 2) },
		]);

		const { message } = await errorOf(fetchEntries(client, CONTAINER_LIST, 'u'));

		expect(message).toContain('3 entries, but there might be more because "total" is 4');
	});

	it('is limited to the matching records, over several pages', async () => {
		const { client, sent } = setUpClient([
			{
				body: [{ uuid: 'c-1' }, null, { uuid: 'x-1' }],
				headers: { link: '<?page=2>; rel="next"' },
			},
			{ body: [{ uuid: 'c-2' }, { uuid: 'c-3' }], headers: { link: '<?page=3>; rel="next"' } },
		]);

		const records = await fetchEntries(client, CONTAINER_LIST, 'u', {
			query: [
				['q', 'a b'],
				['sort', '-x'],
			],
			limit: 2,
			matches: ({ uuid }) => String(uuid).startsWith('c'),
		});

		expect(records.map(({ id }) => id)).toEqual(['c-1', 'c-2']);
		expect(sent.map(({ url }) => url)).toEqual([
			`${baseUrl}/users/u/containers?q=a+b&sort=-x`,
			`${baseUrl}/users/u/containers?page=2`,
		]);
	});

	it.each([
		[CONTAINER_LIST, [{ uuid: 'c-1', name: 'One' }, null], [{ id: 'c-1', name: 'One' }]],
		[CONTACT_LIST, [{ email: 'a@x.example', id: 7 }], [{ id: 'a@x.example' }]],
	])('has entries with identifiers: $action', async (list, body, expected) => {
		const { client } = setUpClient([{ body }]);

		const entries = await fetchEntries(client, list, 'u');

		expect(entries).toEqual(
			expected.map((entry) => ({ name: undefined, ...entry, record: body[0] })),
		);
	});

	it.each<[unknown, string]>([
		[[{ uuid: 'c-1' }, { name: 'Two' }], 'a list with an entry without an identifier'],
		[[{ uuid: 'c-1' }, 'c-2'], 'a list with an entry without an identifier'],
	])('is an error where entries cannot be told apart: %j', async (body, received) => {
		const { client } = setUpClient([{ body }]);

		expect((await errorOf(fetchEntries(client, CONTAINER_LIST, 'u'))).message).toBe(
			`The service returned ${received} instead of containers with a uuid for the request to list the containers`,
		);
	});
});

import {
	CONTACT_LIST,
	CONTAINER_LIST,
	fetchList,
	groupById,
} from '../../../../nodes/shared/api/lists';
import { toRecord } from '../../../../nodes/shared/api/records';
import { baseUrl, errorOf, setUpClient } from '../../support/client.cts';

describe('the entries of a list', () => {
	it('can be plain text or numbers, and are dropped without an identifier', () => {
		const entries = ['c-1', 17, null, undefined, {}, [], true, { name: 'x' }];
		const records = entries
			.map((entry) => toRecord(entry, CONTAINER_LIST.scalarKey))
			.filter((record) => record !== undefined);
		expect(groupById(records, CONTAINER_LIST)).toEqual(
			['c-1', '17'].map((id) => ({ id, name: undefined, record: { uuid: id }, duplicates: [] })),
		);
		expect(toRecord('a@x.example', CONTACT_LIST.scalarKey)).toEqual({ email: 'a@x.example' });
	});

	it('appear once, and the first one wins', () => {
		const [one, two] = ['One', 'Two'].map((name) => ({ email: 'a@x.example', first_name: name }));
		const other = { email: 'b@x.example' };

		expect(groupById([one, other, two], CONTACT_LIST)).toEqual([
			{ id: 'a@x.example', name: undefined, record: one, duplicates: [two] },
			{ id: 'b@x.example', name: undefined, record: other, duplicates: [] },
		]);
	});
});

describe('a list that is fetched', () => {
	it.each([
		[CONTAINER_LIST, '/users/u/containers', [{ uuid: 'c-1' }], 'list the containers'],
		[CONTACT_LIST, '/users/u/contacts', [{ email: 'a@x.example' }], 'list the contacts'],
	])('has its path and its name: $segment', async (list, path, body, action) => {
		const { client, sent, replies } = setUpClient([{ body }]);
		expect(await fetchList(client, list, 'u')).toEqual(body);
		expect(sent[0]).toMatchObject({ method: 'GET', url: `${baseUrl}${path}` });

		replies.push({ status: 403 });
		expect((await errorOf(fetchList(client, list, 'u'))).message).toContain(action);
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

		const { message } = await errorOf(fetchList(client, CONTAINER_LIST, 'u'));

		expect(message).toContain('3 entries, but there might be more because "total" is 4');
	});

	it('can have two contacts of one address on two pages', async () => {
		const toPage = (first_name: string) => ({
			data: [{ email: 'a@x.example', first_name }],
			total: 2,
		});
		const { client } = setUpClient([
			{ body: toPage('One'), headers: { link: '<?page=2>; rel="next"' } },
			{ body: toPage('Two') },
		]);

		expect(await fetchList(client, CONTACT_LIST, 'u')).toHaveLength(2);
	});

	it('is limited to the matching records, over several pages', async () => {
		const { client, sent } = setUpClient([
			{ body: ['c-1', null, 'x-1'], headers: { link: '<?page=2>; rel="next"' } },
			{ body: ['c-2', 'c-3'], headers: { link: '<?page=3>; rel="next"' } },
		]);

		const records = await fetchList(client, CONTAINER_LIST, 'u', {
			query: [
				['q', 'a b'],
				['sort', '-x'],
			],
			limit: 2,
			matches: ({ uuid }) => String(uuid).startsWith('c'),
		});

		expect(records).toEqual([{ uuid: 'c-1' }, { uuid: 'c-2' }]);
		expect(sent.map(({ url }) => url)).toEqual([
			`${baseUrl}/users/u/containers?q=a+b&sort=-x`,
			`${baseUrl}/users/u/containers?page=2`,
		]);
	});

	it.each<['id' | 'name' | undefined, unknown[], string | undefined]>([
		['id', [{ name: 'N' }], 'an identifier instead of containers with a uuid for the request'],
		['name', [{ uuid: 'c' }], 'a name instead of containers with a name for the request to list'],
		['name', [{ uuid: 'c' }, { name: 'N' }, { uuid: 'c' }], undefined],
		['id', [null], undefined],
		[undefined, [{ a: 1 }], undefined],
	])('is an error where no entry has what is needed (%s): %j', async (needs, body, problem) => {
		const { client } = setUpClient([{ body }]);
		const fetching = fetchList(client, CONTAINER_LIST, 'u', { needs });
		if (problem === undefined) await expect(fetching).resolves.toBeDefined();
		else await expect(fetching).rejects.toThrow(`a list of entries without ${problem}`);
	});

	it.each([
		[CONTAINER_LIST, 'containers with a uuid', 'list the containers'],
		[CONTACT_LIST, 'contacts with an email', 'list the contacts'],
	])('is an error without identifiers: $segment', async (list, expected, action) => {
		const { client } = setUpClient([{ body: [{ a: 1 }] }]);
		expect((await errorOf(fetchList(client, list, 'u', { needs: 'id' }))).message).toBe(
			`The service returned a list of entries without an identifier instead of ${expected} for the request to ${action}`,
		);
	});
});

import type { IDataObject } from 'n8n-workflow';

import {
	CONTACT_LIST,
	CONTAINER_LIST,
	fetchEntries,
	fetchList,
	groupById,
} from '../../../../nodes/shared/api/lists';
import { toRecord } from '../../../../nodes/shared/api/records';
import { baseUrl, errorOf, setUpClient } from '../../support/client.cts';

const groupEntries = (entries: unknown[]) =>
	groupById(
		entries
			.map((entry) => toRecord(entry, CONTAINER_LIST.scalarKey))
			.filter((record) => record !== undefined),
		CONTAINER_LIST,
	);

describe('the entries of a list', () => {
	it.each([
		['plain records', { uuid: 'c-1', name: 'One' }],
		['envelopes', { org_id: 'u-1', container: { uuid: 'c-1', name: 'One' } }],
		['records with other key names', { id: 'c-1', name: 'One' }],
	])('have an identifier as %s', (_form, record) => {
		expect(groupById([record], CONTAINER_LIST)).toEqual([
			{ id: 'c-1', name: 'One', record, duplicates: [] },
		]);
	});

	it.each([
		['text', 'c-1', 'c-1'],
		['a number', 17, '17'],
	])('have an identifier as plain %s', (_form, entry, id) => {
		expect(groupEntries([entry])).toEqual([
			{ id, name: undefined, record: { uuid: id }, duplicates: [] },
		]);
	});

	it('have an identifier as a plain address', () => {
		expect(toRecord('a@x.example', CONTACT_LIST.scalarKey)).toEqual({ email: 'a@x.example' });
	});

	it('appear once, and the first one wins', () => {
		const one = { email: 'a@example.com', first_name: 'One' };
		const two = { email: 'a@example.com', first_name: 'Two' };
		const other = { email: 'b@example.com' };

		expect(groupById([one, other, two], CONTACT_LIST)).toEqual([
			{ id: 'a@example.com', name: undefined, record: one, duplicates: [two] },
			{ id: 'b@example.com', name: undefined, record: other, duplicates: [] },
		]);
	});

	it('are dropped when they have no identifier', () => {
		const entries = [null, undefined, {}, [], true, { name: 'x' }];
		expect(groupEntries(entries)).toEqual([]);
	});
});

describe('a list that is fetched', () => {
	const ids = (records: IDataObject[]) => records.map(({ uuid }) => uuid);

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

		expect(ids(records)).toEqual(['c-1', 'c-2']);
		expect(sent.map(({ url }) => url)).toEqual([
			`${baseUrl}/users/u/containers?q=a+b&sort=-x`,
			`${baseUrl}/users/u/containers?page=2`,
		]);
	});

	it('can be empty unless every entry counts', async () => {
		const { client } = setUpClient([{}, {}, {}]);
		expect(await fetchList(client, CONTAINER_LIST, 'u')).toEqual([]);
		await errorOf(fetchList(client, CONTAINER_LIST, 'u', { isEmptyAllowed: false }));
		const error = await errorOf(fetchEntries(client, CONTAINER_LIST, 'u'));
		expect(error.message).toMatch(/an empty response instead of a list/);
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
		const message = await fetching.then(
			() => undefined,
			(error: Error) => error.message,
		);
		if (problem === undefined) expect(message).toBeUndefined();
		else expect(message).toContain(`a list of entries without ${problem}`);
	});

	it('can consist of plain addresses', async () => {
		const { client } = setUpClient([{ body: ['a@x.example'] }]);
		expect(await fetchList(client, CONTACT_LIST, 'u')).toEqual([{ email: 'a@x.example' }]);
	});

	it('has its entries by identifier, without secrets', async () => {
		const { client, replies, connection } = setUpClient([{ body: [] }]);
		expect(await fetchEntries(client, CONTAINER_LIST, 'u')).toEqual([]);

		replies.push({ body: ['c-1', { uuid: 'c-2', note: connection.apiKey }] });
		const entries = await fetchEntries(client, CONTAINER_LIST, 'u');

		expect(entries.map(({ id }) => id)).toEqual(['c-1', 'c-2']);
		expect(entries[1].record.note).toBe('[hidden]');
	});

	it.each([
		[CONTAINER_LIST, 'containers with a uuid', 'list the containers'],
		[CONTACT_LIST, 'contacts with an email', 'list the contacts'],
	])('is an error without identifiers: $segment', async (list, expected, action) => {
		const { client } = setUpClient([{ body: [{ a: 1 }] }]);
		expect((await errorOf(fetchEntries(client, list, 'u'))).message).toBe(
			`The service returned a list of entries without an identifier instead of ${expected} for the request to ${action}`,
		);
	});
});

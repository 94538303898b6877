import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { anna, contact, fields, listPath, pathOf, upsert } from '../support/contacts.cts';
import { outputOf } from '../support/operations.cts';

const service = mockService();
const patches = () =>
	service.requests
		.filter(({ method }) => method === 'PATCH')
		.map(({ path, body }) => [decodeURIComponent(path.split('/').at(-1) ?? ''), body]);
const autoMap = { email: '={{ $json.email }}', dataToSend: 'autoMapInputData' };
const inJson = (bodyJson: string) => ({ dataToSend: 'json', bodyJson });
const named = (values: IDataObject) => ({ fieldsUi: fields(values) });

describe('Skip Unchanged', () => {
	const skip = { skipUnchanged: true };
	const existing = [
		{ email: 'a@example.com', first_name: 'A', company: 'X', tags: [1, { b: 2, c: 3 }] },
		{ email: 'B@Example.com', first_name: 'B' },
		{ contact: { email: 'c@example.com', first_name: 'C' } },
	];

	it('fetches all pages of the list once, and returns what it has', async () => {
		service.get(listPath).reply(200, existing.slice(0, 1), { link: '<?page=2>; rel="next"' });
		service.get(`${listPath}?page=2`).reply(200, existing.slice(1));
		const items = ['a', 'b', 'c'].map((name) => ({
			json: { email: `${name}@example.com`, first_name: name.toUpperCase() },
		}));

		expect(await outputOf(upsert(autoMap, skip, { items }))).toEqual(existing);
		expect(service.requests).toHaveLength(2);
	});

	/** The unit tests of `isSameValue` know all values. */
	it.each<[string, IDataObject, boolean]>([
		['the same value in another order', { tags: [1, { c: 3, b: 2 }] }, true],
		['digits', { first_name: 'A', tags: ['1', { b: 2, c: '3' }] }, true],
		['no value', {}, true],
		['null for a missing field', { phone_number: null }, true],
		['one of two changed', { first_name: 'A', company: 'Z' }, false],
		['a new field', { phone_number: '1' }, false],
		['an inherited name', { toString: 'x' }, false],
	])('sends a request only when something changes: %s', async (_what, values, isUnchanged) => {
		service.get(listPath).reply(200, existing);
		if (!isUnchanged) service.patch(pathOf('a@example.com')).reply(204);

		expect(
			await outputOf(upsert({ email: 'a@example.com', ...inJson(JSON.stringify(values)) }, skip)),
		).toEqual([isUnchanged ? existing[0] : { success: true, email: 'a@example.com' }]);
		expect(patches()).toEqual(isUnchanged ? [] : [['a@example.com', values]]);
	});

	it('prefers the contact in the same capitals, and changes it when there are others only', async () => {
		const list = [
			{ email: 'ANNA@example.com', first_name: 'Other' },
			{ email: anna, first_name: 'Anna' },
			{ email: 'BOB@example.com', first_name: 'Bob' },
			{ email: 'Bob@example.com', first_name: 'Bob' },
		];
		service.get(listPath).reply(200, list);
		service.patch(pathOf('bob@example.com')).reply(204);
		const items = [contact, { email: 'bob@example.com', first_name: 'Bob' }];

		expect(
			await outputOf(upsert(autoMap, skip, { items: items.map((json) => ({ json })) })),
		).toEqual([list[1], { success: true, email: 'bob@example.com' }]);
	});

	it('sends a contact that does not exist', async () => {
		service.get(listPath).reply(200, [contact]);
		service.patch(pathOf('new@example.com')).reply(204);
		const items = [{ json: { ...contact, email: 'new@example.com' } }];

		await outputOf(upsert(autoMap, skip, { items }));

		expect(patches()).toHaveLength(1);
	});

	it('compares with the list of the user of each item, and with what the items before changed', async () => {
		const of = (user: string) => `/users/${user}/contacts`;
		const path = (user: string) => `${of(user)}/${encodeURIComponent(anna)}`;
		service.get(of('me')).reply(200, [contact]);
		service.get(of('other')).reply(200, []);
		service.patch(path('me')).times(2).reply(204);
		service.patch(path('other')).reply(204);
		const items = [
			{ json: { name: 'New', user: 'me' } },
			{ json: { name: 'Anna', user: 'other' } },
			// The list says Anna, but the first item has changed it.
			{ json: { name: 'Anna', user: 'me' } },
		];

		await outputOf(
			upsert(
				{ email: anna, ...named({ first_name: '={{ $json.name }}' }) },
				{ ...skip, maxConcurrent: 5, userId: '={{ $json.user }}' },
				{ items },
			),
		);

		expect(patches().map(([, body]) => body)).toEqual([
			{ first_name: 'New' },
			{ first_name: 'Anna' },
			{ first_name: 'Anna' },
		]);
		expect(service.requests).toHaveLength(5);
	});
});

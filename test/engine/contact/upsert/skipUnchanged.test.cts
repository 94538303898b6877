import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { fields, listPath, pathOf, upsert } from '../../support/contacts.cts';
import { listShapes } from '../../support/shapes.cts';

const service = mockService();

describe('skipping what is unchanged', () => {
	const skip = { skipUnchanged: true };
	const existing = [
		{ email: 'a@example.com', first_name: 'A', company: 'X', tags: [1, { b: 2, c: 3 }] },
		{ email: 'B@Example.com', first_name: 'B' },
		{ contact: { email: 'c@example.com', first_name: 'C' } },
	];
	const listRequestCount = () => service.requests.filter(({ method }) => method === 'GET').length;
	const patched = () =>
		service.requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path);

	it.each(listShapes(existing))('fetches the list once, in the shape of $shape', async (shape) => {
		service.get(listPath).reply(...shape.reply);

		const { items, error } = await upsert(
			{ fieldsUi: fields({ first_name: '={{ $json.name }}' }) as INodeParameters },
			skip,
			{
				items: ['a', 'b', 'c'].map((name) => ({
					json: { id: `${name}@example.com`, name: name.toUpperCase() },
				})),
			},
		);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(existing);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(service.requests).toHaveLength(1);
	});

	it.each<[string, IDataObject, boolean]>([
		['the same value', { first_name: 'A' }, true],
		['some of the values', { first_name: 'A', company: 'X' }, true],
		['the same value in another order', { tags: [1, { c: 3, b: 2 }] }, true],
		['no value', {}, true],
		['another value', { first_name: 'Z' }, false],
		['one of two changed', { first_name: 'A', company: 'Z' }, false],
		['a new field', { phone_number: '1' }, false],
		['another type', { tags: '1' }, false],
		['an inherited name', { toString: 'x' }, false],
	])('sends a request only when something changes: %s', async (_what, values, isUnchanged) => {
		service.get(listPath).reply(200, existing);
		if (!isUnchanged) service.patch(pathOf('a@example.com')).reply(204);

		const { items, error } = await upsert(
			{ email: 'a@example.com', dataToSend: 'json', bodyJson: JSON.stringify(values) },
			skip,
		);

		expect(error).toBeUndefined();
		expect(items[0].json).toEqual(
			isUnchanged ? existing[0] : { success: true, email: 'a@example.com' },
		);
		expect(patched()).toHaveLength(isUnchanged ? 0 : 1);
	});

	it('sends a contact that does not exist', async () => {
		service.get(listPath).reply(200, existing);
		service.patch(pathOf('new@example.com')).reply(201, { email: 'new@example.com' });

		const { items } = await upsert({ email: 'new@example.com' }, skip);

		expect(items[0].json).toEqual({ email: 'new@example.com' });
	});

	it('ignores the list for a contact that it has changed', async () => {
		service.get(listPath).reply(200, existing);
		service.patch(pathOf('a@example.com')).times(2).reply(204);

		const { error } = await upsert(
			{
				email: 'a@example.com',
				fieldsUi: fields({ first_name: '={{ $json.name }}' }) as INodeParameters,
			},
			{ ...skip, maxConcurrent: 5 },
			{ items: [{ json: { name: 'Z' } }, { json: { name: 'A' } }] },
		);

		expect(error).toBeUndefined();
		expect(service.requests.map(({ body }) => body)).toEqual([
			'',
			{ first_name: 'Z' },
			{ first_name: 'A' },
		]);
	});

	it('fetches all pages of the list', async () => {
		service.get(listPath).reply(200, existing.slice(0, 1), { link: '<?page=2>; rel="next"' });
		service.get(`${listPath}?page=2`).reply(200, existing.slice(1));

		const { items } = await upsert(
			{ email: 'b@example.com', fieldsUi: fields({ first_name: 'B' }) as INodeParameters },
			skip,
		);

		expect(items[0].json).toEqual(existing[1]);
	});

	it('fails every item when the list cannot be fetched, and changes nothing', async () => {
		service.get(listPath).reply(500, { message: 'Words of the service' });

		const { items } = await upsert({}, skip, {
			items: [{ json: { id: 'a@example.com' } }, { json: { id: 'b@example.com' } }],
			onError: 'continueRegularOutput',
		});

		expect(items.map(({ json }) => json.contactEmail)).toEqual(['a@example.com', 'b@example.com']);
		for (const { json } of items) expect(json.error).toMatch(/list the contacts/);
		expect(listRequestCount()).toBe(1);
	});

	it('needs at most 25 requests for 1,000 contacts of which 20 changed', async () => {
		const addresses = Array.from({ length: 1000 }, (_value, index) => `p${index}@example.com`);
		const changed = new Set(addresses.filter((_address, index) => index % 50 === 7));
		service.get(listPath).reply(
			200,
			addresses.map((email) => ({ email, first_name: 'Old', company: 'X' })),
		);
		for (const address of changed) {
			service.patch(pathOf(address)).reply(200, { email: address, first_name: 'New' });
		}

		const { items, error, next } = await upsert(
			{ dataToSend: 'autoMapInputData' },
			{ ...skip, maxConcurrent: 5 },
			{
				items: addresses.map((address) => ({
					json: { id: address, first_name: changed.has(address) ? 'New' : 'Old' },
				})),
				next: { id: "={{ $('Input').item.json.id }}" },
			},
		);

		expect(error).toBeUndefined();
		expect(changed.size).toBe(20);
		expect(service.requests.length).toBeLessThanOrEqual(25);
		expect(new Set(patched())).toEqual(
			new Set([...changed].map((address) => `/api/v1${pathOf(address)}`)),
		);
		expect(items.map(({ json }) => json.email)).toEqual(addresses);
		expect(next.map(({ id }) => id)).toEqual(addresses);
	}, 60_000);
});

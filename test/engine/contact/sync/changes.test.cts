import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { contactsOf, fields, listPath, pathOf, sync, table } from '../../support/contacts.cts';
import { newKey } from '../../support/operations.cts';
import { listShapes } from '../../support/shapes.cts';

const service = mockService();
const { holds, changes } = contactsOf(service);

const anna = { email: 'anna@example.com', first_name: 'Anna', company: 'Example' };
const bob = { email: 'bob@example.com', first_name: 'Bob', company: 'Example' };
const existing = [anna, bob, { contact: { email: 'cleo@example.com', first_name: 'Cleo' } }];

describe('Sync', () => {
	it.each(listShapes(existing))('reads the list once: $shape', async (shape) => {
		service.get(listPath).reply(...shape.reply);

		const { items, error } = await sync(
			table(anna, bob, { email: 'cleo@example.com', first_name: 'Cleo' }),
		);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(
			['anna', 'bob', 'cleo'].map((name) => ({
				action: 'unchanged',
				email: `${name}@example.com`,
				changes: [],
			})),
		);
		expect(service.requests).toHaveLength(1);
	});

	it('sends only what differs, and links each item to its input', async () => {
		holds(...existing);
		service.patch(pathOf(bob.email)).reply(200, { message: 'Updated' });
		service.patch(pathOf('dora@example.com')).reply(204);

		const { items, error, next } = await sync(
			table({ email: 'dora@example.com', first_name: 'Dora', company: null }, anna, {
				...bob,
				company: 'Other',
				phone_number: 41,
			}),
			{ next: { email: "={{ $('Input').item.json.email }}" } },
		);

		expect(error).toBeUndefined();
		expect(changes()).toEqual([
			['PATCH', 'dora@example.com', { first_name: 'Dora' }],
			['PATCH', bob.email, { company: 'Other', phone_number: 41 }],
		]);
		expect(items).toEqual(
			[
				{ json: { action: 'created', email: 'dora@example.com', changes: ['first_name'] } },
				{ json: { action: 'unchanged', email: anna.email, changes: [] } },
				{ json: { action: 'updated', email: bob.email, changes: ['company', 'phone_number'] } },
			].map((item, index) => expect.objectContaining({ ...item, pairedItem: { item: index } })),
		);
		expect(next.map(({ email }) => email)).toEqual(['dora@example.com', anna.email, bob.email]);
	});

	it.each([
		['lost what was not sent', { email: bob.email, company: 'New' }, true],
		['has all values', { contact: { ...bob, company: 'New' } }, false],
		['has the sent value in another form', { ...bob, company: 'NEW' }, false],
		['is not shown', { message: 'Updated', first_name: null }, false],
	])('sends all fields again only where the contact %s', async (_what, record, again) => {
		holds(bob);
		service.patch(pathOf(bob.email)).reply(200, record);
		if (again) service.patch(pathOf(bob.email)).reply(200, record);

		const { items } = await sync(table({ ...bob, company: 'New' }));

		expect(items[0].json).toEqual({ action: 'updated', email: bob.email, changes: ['company'] });
		expect(changes().slice(1)).toEqual(
			again ? [['PATCH', bob.email, { first_name: 'Bob', company: 'New' }]] : [],
		);
	});

	it('changes nothing where an input field has no value at all', async () => {
		holds(anna);

		const { items } = await sync(table({ ...anna, company: undefined }));

		expect(items[0].json.action).toBe('unchanged');
	});

	it('creates a contact that has no fields', async () => {
		holds();
		service.patch(pathOf(anna.email)).reply(204);

		const { items } = await sync(table({ email: anna.email }));

		expect(changes()).toEqual([['PATCH', anna.email, {}]]);
		expect(items[0].json).toEqual({ action: 'created', email: anna.email, changes: [] });
	});

	it.each<[string, INodeParameters]>([
		[
			'fields',
			{
				dataToSend: 'defineBelow',
				fieldsUi: fields({ company: '={{ $json.firm }}' }) as INodeParameters,
			},
		],
		['JSON', { dataToSend: 'json', bodyJson: '={{ { "company": $json.firm } }}' }],
		['ignored inputs', { inputsToIgnore: 'firm', dataToSend: 'autoMapInputData' }],
	])('takes the fields of a contact as Create or Update does: %s', async (_how, parameters) => {
		holds({ email: anna.email, company: 'Old' });
		service.patch(pathOf(anna.email)).reply(204);

		const { items } = await sync(
			table({
				email: anna.email,
				firm: 'New',
				...('inputsToIgnore' in parameters ? { company: 'New' } : {}),
			}),
			{ parameters },
		);

		expect(changes()).toEqual([['PATCH', anna.email, { company: 'New' }]]);
		expect(items[0].json.changes).toEqual(['company']);
	});

	it('compares addresses without regard to case, and keeps that of the service', async () => {
		holds({ email: 'Anna@Example.com', first_name: 'Anna' }, { email: 'BOB@example.com' });
		service.patch(pathOf('BOB@example.com')).reply(204);

		const { items, error } = await sync(
			table({ email: 'anna@example.COM', first_name: 'Anna' }, bob),
			{ parameters: { deleteMissing: true } },
		);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => [json.action, json.email])).toEqual([
			['unchanged', 'Anna@Example.com'],
			['updated', 'BOB@example.com'],
		]);
	});

	it('changes the contact in the same capitals where two differ in them, and deletes neither', async () => {
		holds({ email: 'ANNA@example.com' }, { ...anna, first_name: 'Old' });
		service.patch(pathOf(anna.email)).reply(204);

		const { items } = await sync(table(anna), {
			parameters: { deleteMissing: true },
			options: { maxDeletions: 100 },
		});

		expect(changes()).toEqual([['PATCH', anna.email, { first_name: 'Anna' }]]);
		expect(items).toHaveLength(1);
	});

	it('compares with all entries of a contact that the list shows twice', async () => {
		holds(anna, { ...anna, company: 'Old' });
		service.patch(pathOf(anna.email)).reply(204);

		const { items } = await sync(table(anna));

		expect(changes()).toEqual([['PATCH', anna.email, { company: 'Example' }]]);
		expect(items[0].json.action).toBe('updated');
	});

	it('leaves out an item whose credential cannot be used, where the workflow continues', async () => {
		holds(bob);

		const { items } = await sync(table(anna, bob), {
			credentials: {
				baseUrl: '={{ $json.first_name === "Anna" ? "http" : "https" }}://share.example.com/api/v1',
			},
			onError: 'continueRegularOutput',
		});

		expect(items[0].json.error).toMatch(/Base URL in the credential/);
		expect(items[1].json.action).toBe('unchanged');
	});

	it('names the contact that the service does not find', async () => {
		holds({ ...bob, company: 'Old' });
		service.patch(pathOf(bob.email)).reply(404);

		const { error } = await sync(table(bob));

		expect(error?.message).toBe('The contact "bob@example.com" was not found [item 0]');
	});

	it('can run again after it broke off: what is done is unchanged then', async () => {
		holds(anna, bob);
		service.patch(pathOf(anna.email)).reply(204);
		service.patch(pathOf(bob.email)).reply(503, { message: 'Down' });
		const rows = table({ ...anna, company: 'New' }, { ...bob, company: 'New' });

		const first = await sync(rows);
		expect(first.error?.message).toMatch(/could not create or update the contact.*\[item 1\]/);

		service.requests.length = 0;
		holds({ ...anna, company: 'New' }, bob);
		service.patch(pathOf(bob.email)).reply(204);
		const second = await sync(rows);

		expect(second.items.map(({ json }) => json.action)).toEqual(['unchanged', 'updated']);
		expect(changes()).toEqual([['PATCH', bob.email, { company: 'New' }]]);
	});

	it('takes at most 22 requests for 1,000 contacts of which 20 changed', async () => {
		const addresses = Array.from({ length: 1000 }, (_value, index) => `p${index}@example.com`);
		const isChanged = (index: number) => index % 50 === 7;
		service.get('/me').reply(200, { id: 'user-1' });
		holds(...addresses.map((email) => ({ email, first_name: 'Old', company: 'X' })));
		for (const [index, email] of addresses.entries()) {
			if (isChanged(index)) service.patch(pathOf(email)).reply(200, { email });
		}

		const { items, error } = await sync(
			table(
				...addresses.map((email, index) => ({
					email,
					first_name: isChanged(index) ? 'New' : 'Old',
				})),
			),
			{
				parameters: { deleteMissing: true },
				options: { userId: '', maxConcurrent: 5 },
				credentials: newKey(),
			},
		);

		expect(error).toBeUndefined();
		expect(service.requests).toHaveLength(22);
		expect(changes().map(([, , body]) => body as IDataObject)).toEqual(
			Array.from({ length: 20 }, () => ({ first_name: 'New' })),
		);
		expect(items.map(({ json }) => json.email)).toEqual(addresses);
		expect(items.filter(({ json }) => json.action === 'updated')).toHaveLength(20);
	}, 60_000);

	it('shows everything in a dry run, and sends nothing but the request for the list', async () => {
		holds(...existing);

		const { items } = await sync(
			table({ ...anna, company: 'New' }, { email: 'dora@example.com' }),
			{
				parameters: { deleteMissing: true },
				options: { dryRun: true, maxDeletions: 0 },
			},
		);

		expect(items.map(({ json }) => json)).toEqual([
			{ action: 'updated', email: anna.email, changes: ['company'] },
			{ action: 'created', email: 'dora@example.com', changes: [] },
			{ action: 'deleted', email: bob.email, changes: [] },
			{ action: 'deleted', email: 'cleo@example.com', changes: [] },
		]);
		expect(service.requests).toHaveLength(1);
	});

	it('keeps to the limit of requests at a time, and sends again after a rate limit', async () => {
		const rows = ['a', 'b', 'c'].map((name) => ({
			email: `${name}@example.com`,
			first_name: name,
		}));
		holds();
		service.patch(pathOf('a@example.com')).reply(429, {}, { 'retry-after': '0' });
		for (const { email } of rows) service.patch(pathOf(email)).reply(204);

		const { items, error } = await sync(table(...rows), { options: { maxRetries: 2 } });

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.action)).toEqual(['created', 'created', 'created']);
		expect(changes()).toHaveLength(4);
	});

	it('waits for all batches before the first request', async () => {
		const rows = table(anna, bob, { email: 'cleo@example.com', first_name: 'Cleo' });
		holds(...existing, { email: 'old@example.com' });
		service.delete(pathOf('old@example.com')).reply(204);
		const batch = { batchSize: 1, batchInterval: 50 };

		const { items, error } = await sync(rows, {
			parameters: { deleteMissing: true, requestOptions: { batching: { batch } } },
			options: { maxDeletions: 25 },
		});

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.action)).toEqual([
			'unchanged',
			'unchanged',
			'unchanged',
			'deleted',
		]);
		expect(service.requests).toHaveLength(2);
	});
});

import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { contactsOf, fields, listPath, pathOf, sync, table } from '../support/contacts.cts';
import { expectRefusal, inBatchesOf, outputOf } from '../support/operations.cts';

const service = mockService();
const { holds, changes } = contactsOf(service);

const anna = { email: 'anna@example.com', first_name: 'Anna', company: 'Example' };
const bob = { email: 'bob@example.com', first_name: 'Bob', company: 'Example' };
const existing = [anna, bob, { contact: { email: 'cleo@example.com', first_name: 'Cleo' } }];
const deleteMissing = { parameters: { deleteMissing: true }, options: { maxDeletions: 100 } };
const unchanged = (email: string) => ({ action: 'unchanged', email, changes: [] });

describe('Sync', () => {
	it('sends the contacts that differ, and links each item to its input', async () => {
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
			['PATCH', bob.email, { first_name: 'Bob', company: 'Other', phone_number: 41 }],
		]);
		expect(items).toEqual(
			[
				{ json: { action: 'created', email: 'dora@example.com', changes: ['first_name'] } },
				{ json: unchanged(anna.email) },
				{ json: { action: 'updated', email: bob.email, changes: ['company', 'phone_number'] } },
			].map((item, index) => expect.objectContaining({ ...item, pairedItem: { item: index } })),
		);
		expect(next.map(({ email }) => email)).toEqual(['dora@example.com', anna.email, bob.email]);
	});

	it('creates a contact that has no fields, also where the list is empty', async () => {
		holds();
		service.patch(pathOf(anna.email)).reply(204);

		expect(await outputOf(sync(table({ email: anna.email }), deleteMissing))).toEqual([
			{ action: 'created', email: anna.email, changes: [] },
		]);
		expect(changes()).toEqual([['PATCH', anna.email, {}]]);
	});

	it.each<[string, IDataObject, IDataObject]>([
		[
			'fields',
			{ dataToSend: 'defineBelow', fieldsUi: fields({ company: '={{ $json.firm }}' }) },
			{},
		],
		['JSON', { dataToSend: 'json', bodyJson: '={{ { "company": $json.firm } }}' }, {}],
		['ignored inputs', { inputsToIgnore: 'firm' }, { company: 'New' }],
	])(
		'takes the fields of a contact as Create or Update does: %s',
		async (_how, parameters, more) => {
			holds({ email: anna.email, company: 'Old' });
			service.patch(pathOf(anna.email)).reply(204);
			const rows = table({ email: anna.email, firm: 'New', ...more });

			expect(await outputOf(sync(rows, { parameters }))).toMatchObject([{ changes: ['company'] }]);
			expect(changes()).toEqual([['PATCH', anna.email, { company: 'New' }]]);
		},
	);

	it('keeps the address of the service where it differs in capitals', async () => {
		holds({ email: 'Anna@Example.com', first_name: 'Anna' }, { email: 'BOB@example.com' });
		service.patch(pathOf('BOB@example.com')).reply(204);
		const rows = table({ email: 'anna@example.COM', first_name: 'Anna' }, bob);

		expect(await outputOf(sync(rows, deleteMissing))).toMatchObject([
			unchanged('Anna@Example.com'),
			{ action: 'updated', email: 'BOB@example.com' },
		]);
	});

	it('changes the contact in the same capitals where two differ in them, and deletes neither', async () => {
		holds({ email: 'ANNA@example.com' }, { ...anna, first_name: 'Old' });
		service.patch(pathOf(anna.email)).reply(204);

		expect(await outputOf(sync(table(anna), deleteMissing))).toHaveLength(1);
		expect(changes()).toEqual([['PATCH', anna.email, { first_name: 'Anna', company: 'Example' }]]);
	});

	it('names the contact that the service does not find', async () => {
		holds({ ...bob, company: 'Old' });
		service.patch(pathOf(bob.email)).reply(404);

		expect((await sync(table(bob))).error?.message).toBe(
			'The contact "bob@example.com" was not found [item 0]',
		);
	});

	it('can run again after it broke off: what is done is unchanged then', async () => {
		const rows = table({ ...anna, company: 'New' }, { ...bob, company: 'New' });
		holds(anna, bob);
		service.patch(pathOf(anna.email)).reply(204);
		service.patch(pathOf(bob.email)).reply(503, { message: 'Down' });
		const first = await sync(rows);
		expect(first.error?.message).toMatch(/could not create or update the contact.*\[item 1\]/);

		service.requests.length = 0;
		holds({ ...anna, company: 'New' }, bob);
		service.patch(pathOf(bob.email)).reply(204);

		expect((await outputOf(sync(rows))).map(({ action }) => action)).toEqual([
			'unchanged',
			'updated',
		]);
		expect(changes().map(([, email]) => email)).toEqual([bob.email]);
	});

	it('shows everything in a dry run, and sends nothing but the request for the list', async () => {
		holds(...existing);
		const rows = table({ ...anna, company: 'New' }, { email: 'dora@example.com' });
		const options = { dryRun: true, maxDeletions: 0 };

		expect(await outputOf(sync(rows, { ...deleteMissing, options }))).toEqual([
			{ action: 'updated', email: anna.email, changes: ['company'] },
			{ action: 'created', email: 'dora@example.com', changes: [] },
			{ action: 'deleted', email: bob.email, changes: [] },
			{ action: 'deleted', email: 'cleo@example.com', changes: [] },
		]);
		expect(service.requests).toHaveLength(1);
	});

	it('waits for all batches before the first request', async () => {
		holds(...existing, { email: 'old@example.com' });
		service.delete(pathOf('old@example.com')).reply(204);
		const rows = table(anna, bob, { email: 'cleo@example.com', first_name: 'Cleo' });
		const parameters = { deleteMissing: true, ...inBatchesOf(1, 50) };

		const output = await outputOf(sync(rows, { ...deleteMissing, parameters }));

		expect(output.map(({ action }) => action)).toEqual([
			...['unchanged', 'unchanged', 'unchanged'],
			'deleted',
		]);
		expect(service.requests).toHaveLength(2);
	});
});

describe('Sync of a table that is in step', () => {
	const email = anna.email;

	it.each<[string, IDataObject, IDataObject]>([
		['a domain as xn--', { email: 'a@münchen.de' }, { email: 'a@xn--mnchen-3ya.de' }],
		['a domain in Unicode', { email: 'a@xn--mnchen-3ya.de' }, { email: 'a@münchen.de' }],
		['another form of Unicode', { email: 'jose\u0301@x.example' }, { email: 'josé@x.example' }],
		['capitals and spaces', { email: 'Anna@Example.com' }, { email: ` ${email} ` }],
		['an empty cell and null', { email, company: '' }, { email, company: null }],
		['an empty cell and no field', { email, company: '' }, { email }],
		['no value at all', { email, company: undefined }, { email, company: 'X' }],
		[
			'a timestamp in another form',
			{ email, since: '2026-01-02T03:04:05Z' },
			{ email, since: '2026-01-02T03:04:05.000Z' },
		],
	])('sends nothing for %s', async (_what, row, shown) => {
		holds(shown);

		expect(await outputOf(sync(table(row), deleteMissing))).toMatchObject([
			{ action: 'unchanged' },
		]);
		expect(changes()).toEqual([]);
	});

	it('sends nothing for a Date and its text', async () => {
		holds({ email, since: '2026-01-02T03:04:05.000Z' });
		const fieldsUi = fields({ since: '={{ new Date("2026-01-02T03:04:05Z") }}' });

		const parameters = { dataToSend: 'defineBelow', fieldsUi };
		expect(await outputOf(sync(table({ email }), { parameters }))).toEqual([unchanged(email)]);
	});
});

describe('Sync refuses, before it changes anything,', () => {
	it('several items for one address, for all items, with what to do', async () => {
		const rows = table(bob, anna, { ...anna, email: 'ANNA@example.com' });
		const message = 'The items 1 and 2 have the same address, "anna@example.com" [item 2]';
		const advice =
			'Nothing was sent. Remove the duplicates from the input, for example with a Remove Duplicates node. Capitals make no difference in an address.';
		await expectRefusal(service, sync(rows), message, { item: 2, advice });

		const { items } = await sync(rows, { onError: 'continueRegularOutput' });

		expect(items.map(({ json }) => json.error)).toEqual([message, message, message]);
		expect(service.requests).toEqual([]);
	});

	it.each([
		['with more entries than it contains', { total: 3, items: [anna] }, /the whole list/],
		['of entries without an address', [{ name: 'Anna' }], /contacts with an email/],
	])('a list %s', async (_what, body, message) => {
		service.get(listPath).reply(200, body);

		expect((await sync(table(bob))).error?.message).toMatch(message);
		expect(changes()).toEqual([]);
	});

	it('a list of which a page is missing, and every item says so', async () => {
		service.get(listPath).reply(200, [anna], { link: '<?page=2>; rel="next"' });
		service.get(`${listPath}?page=2`).reply(500, { message: 'Words of the service' });

		const { items } = await sync(table(anna, bob), { onError: 'continueRegularOutput' });

		expect(items.map(({ json }) => json.email)).toEqual([anna.email, bob.email]);
		for (const { json } of items) expect(json.error).toMatch(/list the contacts/);
		expect(changes()).toEqual([]);
	});

	it.each<[string, Parameters<typeof sync>[1]]>([
		['User ID', { options: { userId: '={{ $json.first_name }}' } }],
		['Delete Missing Contacts', { parameters: { deleteMissing: '={{ $itemIndex === 1 }}' } }],
		['Max Deletions (%)', { options: { maxDeletions: '={{ $itemIndex }}' } }],
		['Dry Run', { options: { dryRun: '={{ $itemIndex === 1 }}' } }],
		['Credential to connect with', { credentials: { apiKey: '=key-{{ $json.first_name }}' } }],
	])('items that differ in "%s"', async (label, more) => {
		await expectRefusal(
			service,
			sync(table(anna, bob), more),
			`"${label}" of item 1 differs from that of item 0`,
			{
				item: 1,
				advice:
					/^Nothing was changed\. The node compares all input items .* one execution for each value/,
			},
		);
	});

	it.each([
		['Max Deletions (%)', { maxDeletions: 101 }],
		['Max Deletions (%)', { maxDeletions: -1 }],
		['Dry Run', { dryRun: 'perhaps' }],
	])('an invalid "%s": %j', async (label, options) => {
		const message = new RegExp(label.replace(/[()]/g, '\\$&'));
		await expectRefusal(service, sync(table(anna), { options }), message);
	});

	it('to delete contacts with Execute Once, which hides the other items', async () => {
		const { error } = await sync(table(anna, bob), { ...deleteMissing, executeOnce: true });

		expect(error?.message).toMatch(/needs all input items, but "Execute Once" is on/);
		expect(error?.description).toBe(
			'Nothing was sent. Turn off "Execute Once" in the node\'s settings, or turn off "Delete Missing Contacts".',
		);
		expect(service.requests).toEqual([]);
	});
});

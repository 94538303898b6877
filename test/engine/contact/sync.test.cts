import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { contactsOf, listPath, pathOf, sync, table } from '../support/contacts.cts';
import { expectRefusal, outputOf } from '../support/operations.cts';

const service = mockService();
const { holds, changes } = contactsOf(service);

const anna = { email: 'anna@example.com', first_name: 'Anna', company: 'Example' };
const bob = { email: 'bob@example.com', first_name: 'Bob', company: 'Example' };
const cleo = { email: 'cleo@example.com', first_name: 'Cleo' };
const would = { dryRun: true, reason: expect.stringContaining('would') as string };
const unchanged = (email: string) => ({ action: 'unchanged', email, changes: [] });
const actionsOf = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.action);

/** Runs Sync with Delete Missing Contacts. */
const remove = async (...[items, more = {}]: Parameters<typeof sync>) =>
	await sync(items, {
		...more,
		parameters: { deleteMissing: true, ...more.parameters },
		options: { maxDeletions: 100, ...more.options },
	});

/** Contacts of which nothing but the name matters. */
const contact = (name: string) => ({ email: `${name}@example.com`, first_name: name });
const rows = (...names: string[]) => table(...names.map(contact));
const holdsNames = (...names: string[]) => holds(...names.map(contact));
const expectDeletion = (name: string) => service.delete(pathOf(`${name}@example.com`));
const expectChange = (name: string) => service.patch(pathOf(`${name}@example.com`));

describe('Sync', () => {
	it('sends the contacts that differ, deletes none, and links each item to its input', async () => {
		holds(anna, bob, { contact: cleo });
		service.patch(pathOf(bob.email)).reply(200, { message: 'Updated' });
		expectChange('dora').reply(204);

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
			['PATCH', bob.email, { company: 'Other', phone_number: '41' }],
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

	it('reads the list with the query parameters', async () => {
		service.get(listPath).query({ company: 'Example' }).reply(200, [anna, bob]);
		const query = { parameters: [{ name: 'company', value: 'Example' }] };

		expect(await outputOf(sync(table(anna), { options: { query } }))).toEqual([
			unchanged(anna.email),
		]);
	});

	/** Which values and addresses are the same is in the unit tests. */
	it.each<[string, IDataObject, IDataObject]>([
		['a domain as xn--', { email: 'a@münchen.de' }, { email: 'a@xn--mnchen-3ya.de' }],
		['capitals and spaces', { email: 'Anna@Example.com' }, { email: ' anna@example.com ' }],
		['an empty cell', { email: anna.email, company: '' }, { email: anna.email }],
		['no value', { email: anna.email, company: undefined }, anna],
		// Elsewhere, the node hides what has such a name.
		['a postcode', { ...anna, pin_code: '560001' }, { ...anna, pin_code: '560001' }],
	])('sends nothing for a table that is in step: %s', async (_what, row, shown) => {
		holds(shown);

		expect(await outputOf(remove(table(row)))).toMatchObject([{ action: 'unchanged' }]);
		expect(changes()).toEqual([]);
	});

	it('keeps the address of the service where it differs in capitals', async () => {
		holds({ email: 'Anna@Example.com', first_name: 'Anna' }, { email: 'BOB@example.com' });
		service.patch(pathOf('BOB@example.com')).reply(204);

		const items = table({ email: 'anna@example.COM', first_name: 'Anna' }, bob);

		expect(await outputOf(remove(items))).toMatchObject([
			unchanged('Anna@Example.com'),
			{ action: 'updated', email: 'BOB@example.com' },
		]);
	});

	it('shows everything in a dry run, and sends nothing but the request for the list', async () => {
		holds(anna, bob, { contact: cleo });
		const items = table({ ...anna, company: 'New' }, { email: 'dora@example.com' });

		expect(
			await outputOf(remove(items, { parameters: { dryRun: true }, options: { maxDeletions: 0 } })),
		).toEqual([
			{ action: 'updated', email: anna.email, changes: ['company'], ...would },
			{ action: 'created', email: 'dora@example.com', changes: [], ...would },
			{ action: 'deleted', email: bob.email, changes: [], ...would },
			{ action: 'deleted', email: cleo.email, changes: [], ...would },
		]);
		expect(service.requests).toHaveLength(1);
	});
});

describe('Sync refuses, before it changes anything,', () => {
	it('several items for one address, for all items, with what to do', async () => {
		const items = table(bob, anna, { ...anna, email: 'ANNA@example.com' });
		const message = 'The items 1 and 2 have the same address, "anna@example.com" [item 2]';
		const advice =
			'Nothing was sent. Remove the duplicates from the input, for example with a Remove Duplicates node. Capitals make no difference in an address.';
		await expectRefusal(service, sync(items), message, { item: 2, advice });

		await expectRefusal(
			service,
			sync(items, { parameters: { email: 'anna@example.com' } }),
			'The items 0 and 2 have the same address',
			{ item: 2, advice: /choose Expression and enter \{\{ \$json\.email \}\}/ },
		);
		const continued = await sync(items, { onError: 'continueRegularOutput' });

		expect(continued.items.map(({ json }) => json.error)).toEqual([message, message, message]);
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

	it.each<[string, Parameters<typeof sync>[1]]>([
		['User ID', { options: { userId: '={{ $json.first_name }}' } }],
		['Delete Missing Contacts', { parameters: { deleteMissing: '={{ $itemIndex === 1 }}' } }],
		['Max Deletions (%)', { options: { maxDeletions: '={{ $itemIndex }}' } }],
		['Dry Run', { parameters: { dryRun: '={{ $itemIndex === 1 }}' } }],
		['Credential to connect with', { credentials: { apiKey: '=key-{{ $json.first_name }}' } }],
	])('items that differ in "%s"', async (label, more) => {
		const message = `"${label}" of item 1 differs from that of item 0`;
		await expectRefusal(service, sync(table(anna, bob), more), message, {
			item: 1,
			advice:
				/^Nothing was changed\. The node compares all input items .* one execution for each value/,
		});
	});

	it('to delete contacts with Execute Once, which hides the other items', async () => {
		const message = /needs all input items, but "Execute Once" is on/;
		await expectRefusal(service, remove(table(anna, bob), { executeOnce: true }), message, {
			advice:
				'Nothing was sent. Turn off "Execute Once" in the node\'s settings, or turn off "Delete Missing Contacts".',
		});
	});
});

describe('contacts that no item has', () => {
	it('are deleted after all others are up to date, each with an item linked to all', async () => {
		let isChanged = false;
		holdsNames('a', 'old', 'older');
		expectChange('b').reply(async () => {
			await new Promise((resolve) => setTimeout(resolve, 50));
			isChanged = true;
			return [204];
		});
		expectDeletion('old').reply(() => [isChanged ? 204 : 500]);
		expectDeletion('older').reply(200, { message: 'Deleted' });
		service.get(pathOf('older@example.com')).reply(404, { message: 'Not found' });

		const { items, error } = await remove(rows('b', 'a'), { options: { maxConcurrent: 5 } });

		expect(error).toBeUndefined();
		expect(changes().map(([method]) => method)).toEqual(['PATCH', 'DELETE', 'DELETE']);
		expect(items.slice(2)).toEqual(
			['old', 'older'].map((name) =>
				expect.objectContaining({
					json: { action: 'deleted', email: `${name}@example.com`, changes: [] },
					pairedItem: [{ item: 0 }, { item: 1 }],
				}),
			),
		);
	});

	it('are not deleted beside a change that failed, where the workflow continues', async () => {
		holdsNames('a', 'old');
		expectChange('b').reply(422, { message: 'No' });

		const { items, errorItems, run } = await remove(rows('a', 'b'), {
			onError: 'continueErrorOutput',
		});

		expect(actionsOf(items)).toEqual(['unchanged']);
		expect(errorItems).toMatchObject([
			{ json: { contactEmail: 'b@example.com', httpCode: '422' }, pairedItem: { item: 1 } },
		]);
		expect(JSON.stringify(run.hints)).toMatch(/No contacts were deleted, because an input item/);
	});

	it('have an error each where the service refuses; those that are gone are deleted', async () => {
		holdsNames('old', 'older', 'oldest', 'kept');
		expectDeletion('old').reply(403, { message: 'Words of the service' });
		expectDeletion('older').reply(404, { message: 'No such contact' });
		expectDeletion('kept').reply(200, { message: 'queued' });
		service.get(pathOf('kept@example.com')).reply(200, contact('kept'));
		expectDeletion('oldest').reply(204);
		for (const name of ['a', 'b']) expectChange(name).reply(200, contact(name));

		const result = await remove(rows('a', 'b'), { onError: 'continueErrorOutput' });

		expect(actionsOf(result.items)).toEqual(['created', 'created', 'deleted', 'deleted']);
		// Not as if the first item had failed, whose fields n8n adds.
		expect(result.errorItems.map(({ json }) => json)).toMatchObject([
			{
				contactEmail: 'old@example.com',
				httpCode: '403',
				error: 'The API key has no permission to delete the contact "old@example.com"',
				errorDescription: expect.stringContaining('Words of the service'),
			},
			{
				contactEmail: 'kept@example.com',
				error: expect.stringContaining('The contact is still there'),
			},
		]);
	});

	it.each(['', 'anna', null])(
		'could be that of an item whose address is %j: nothing is deleted, and that is said',
		async (email) => {
			holdsNames('a', 'old');
			expectChange('b').reply(204);
			const items = [...rows('a'), { json: { email } }, ...rows('b')];

			const result = await remove(items, { onError: 'continueErrorOutput' });

			expect(actionsOf(result.items)).toEqual(['unchanged', 'created']);
			expect(changes()).toHaveLength(1);
			expect(result.errorItems.map(({ json }) => json.error)).toEqual([
				expect.stringMatching(/"Email" is empty|is not an email address/),
			]);
			expect(JSON.stringify(result.run.hints)).toMatch(/No contacts were deleted/);
		},
	);
});

describe('the limit of deletions', () => {
	const names = (length: number) => Array.from({ length }, (_value, index) => `p${index}`);

	it.each([
		['20% unless it is set', 15, 12, undefined],
		['never below two', 3, 1, 0],
	])('is %s, which can be reached', async (_what, total, left, maxDeletions) => {
		holdsNames(...names(total));
		for (const name of names(total).slice(left)) expectDeletion(name).reply(204);

		await outputOf(remove(rows(...names(left)), { options: { maxDeletions } }));
	});

	it.each([
		['20% unless it is set', undefined, 14, 3, /would delete 3 of 14 contacts, more than 20%$/],
		['the one that is set', 50, 10, 6, /delete 6 of 10 contacts, more than 50%$/],
		['0%', 0, 200, 3, /would delete 3 of 200 contacts, more than 0%$/],
	])(
		'is %s: above it, nothing is changed',
		async (_what, maxDeletions, total, missing, message) => {
			holdsNames(...names(total));

			const { error, items } = await remove(rows(...names(total - missing)), {
				options: { maxDeletions },
			});

			expect(error?.message).toMatch(message);
			expect(error?.description).toMatch(/Nothing was changed/);
			expect(items).toEqual([]);
			expect(changes()).toEqual([]);
		},
	);

	it('is told in a dry run, which shows all of them', async () => {
		holdsNames(...names(10));

		const more = { parameters: { dryRun: true }, options: { maxDeletions: undefined } };
		const { run, items } = await remove(rows(...names(7)), more);

		expect(items).toHaveLength(10);
		expect(JSON.stringify(run.hints)).toMatch(
			/the node would fail: .* 3 of 10 contacts, more than/,
		);
	});
});

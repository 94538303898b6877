import { setTimeout as wait } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { contactsOf, listPath, pathOf, sync, table } from '../../support/contacts.cts';
import { emptyLists, invalidLists } from '../../support/shapes.cts';

const service = mockService();
const { holds, changes } = contactsOf(service);

const anna = { email: 'anna@example.com', first_name: 'Anna' };
const bob = { email: 'bob@example.com', first_name: 'Bob' };

describe('Sync refuses, before it changes anything,', () => {
	const duplicates = table(bob, anna, { ...anna, email: 'ANNA@example.com' });

	it('two items for one address', async () => {
		const { error } = await sync(duplicates);

		expect(error?.message).toMatch(
			/The items 1 and 2 have the same address, "anna@example.com" \[item 2\]/i,
		);
		expect(service.requests).toEqual([]);
	});

	it('several items for one address, with what to do', async () => {
		const { error } = await sync(table(anna, anna, anna));

		expect(error?.message).toBe(
			'The items 0, 1 and 2 have the same address, "anna@example.com" [item 1]',
		);
		expect(error?.description).toBe(
			'Nothing was sent for them. Remove the duplicates from the input, for example with a Remove Duplicates node. Capitals make no difference in an address.',
		);
	});

	it('two items for one address alone, where the workflow continues on errors', async () => {
		holds(anna, { email: 'old@example.com' });
		service.patch(pathOf(bob.email)).reply(204);

		const { items } = await sync(duplicates, {
			onError: 'continueRegularOutput',
			parameters: { deleteMissing: true },
			options: { maxDeletions: 0, dryRun: false },
		}).then(async (refused) => {
			// The missing contact is above the limit: so nothing was changed yet.
			for (const { json } of refused.items) expect(json.error).toMatch(/would delete 1 of 2/);
			holds(anna);
			return await sync(duplicates, {
				onError: 'continueRegularOutput',
				parameters: { deleteMissing: true },
			});
		});

		expect(items.map(({ json }) => json.action ?? json.error)).toEqual([
			'created',
			expect.stringMatching(/items 1 and 2 have the same address/),
			expect.stringMatching(/items 1 and 2 have the same address/),
			'No contacts were deleted, because 2 input items failed',
		]);
		expect(changes()).toHaveLength(1);
	});

	it.each([...invalidLists, ...emptyLists.filter(({ reply }) => reply[1] === '')])(
		'a list that it cannot read: $shape',
		async (shape) => {
			service.get(listPath).reply(...shape.reply);

			const { error } = await sync(table(anna));

			expect(error?.message).toMatch(/\w/);
			expect(changes()).toEqual([]);
		},
	);

	it.each([
		['a list with more entries than it contains', { total: 3, items: [anna] }, /the whole list/],
		['entries without an address', [{ name: 'Anna' }], /contacts with an email/],
	])('%s', async (_what, body, message) => {
		service.get(listPath).reply(200, body);

		const { error } = await sync(table(bob));

		expect(error?.message).toMatch(message);
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

	it.each<[string, INodeParameters]>([
		['User ID', { options: { userId: '={{ $json.first_name }}' } }],
		['Delete Missing Contacts', { deleteMissing: "={{ $json.first_name === 'Bob' }}" }],
		['Max Deletions (%)', { options: { maxDeletions: '={{ $itemIndex }}' } }],
		['Dry Run', { options: { dryRun: '={{ $itemIndex === 1 }}' } }],
	])('items that differ in "%s"', async (label, { options, ...parameters }) => {
		const { error } = await sync(table(anna, bob), {
			parameters,
			options: options as Record<string, string>,
		});

		expect(error?.message).toBe(`"${label}" of item 1 differs from that of item 0 [item 1]`);
		expect(error?.description).toMatch(
			/^Nothing was changed\. The node compares all input items .* one execution for each value\.$/,
		);
		expect(service.requests).toEqual([]);
	});

	it('items with different credentials', async () => {
		const { error } = await sync(table(anna, bob), {
			credentials: { apiKey: '=key-{{ $json.first_name }}' },
		});

		expect(error?.message).toMatch(/"Credential to connect with" of item 1 differs/);
		expect(service.requests).toEqual([]);
	});

	it.each([
		['Max Deletions (%)', { maxDeletions: 101 }],
		['Max Deletions (%)', { maxDeletions: -1 }],
		['Dry Run', { dryRun: 'perhaps' }],
	])('an invalid "%s": %j', async (label, options) => {
		const { error } = await sync(table(anna), { options });

		expect(error?.message).toContain(`"${label}"`);
		expect(service.requests).toEqual([]);
	});

	it('anything when n8n cannot evaluate an expression of a later batch', async () => {
		const batch = { batchSize: 1, batchInterval: 20 };

		const { error } = await sync(table(anna, bob), {
			parameters: {
				email: "={{ $json.first_name === 'Bob' ? $('No Such Node').item.json.id : $json.email }}",
				requestOptions: { batching: { batch } },
			},
		});
		// Longer than the node waits for the next batch.
		await wait(300);

		expect(error).toBeDefined();
		expect(service.requests).toEqual([]);
	});

	it('to delete contacts with Execute Once, which hides the other items', async () => {
		const { error } = await sync(table(anna, bob), {
			parameters: { deleteMissing: true },
			executeOnce: true,
		});

		expect(error?.message).toMatch(/needs all input items, but "Execute Once" is on/);
		expect(error?.description).toBe(
			'Nothing was sent. Turn off "Execute Once" in the node\'s settings, or turn off "Delete Missing Contacts".',
		);
		expect(service.requests).toEqual([]);
	});
});

it('an empty list is a list: every contact is created', async () => {
	holds();
	service.patch(pathOf(anna.email)).reply(204);

	const { items } = await sync(table(anna), { parameters: { deleteMissing: true } });

	expect(items[0].json.action).toBe('created');
});

import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { contactsOf, pathOf, sync, table } from '../../support/contacts.cts';

const service = mockService();
const { holds, changes } = contactsOf(service);

const contact = (name: string): IDataObject & { email: string } => ({
	email: `${name}@example.com`,
	first_name: name,
});
const rows = (...names: string[]) => table(...names.map(contact));
const deleteMissing = { deleteMissing: true };
const all = { maxDeletions: 100 };
const expectDeletion = (name: string) => service.delete(pathOf(`${name}@example.com`));

describe('contacts that no item has', () => {
	it('stay unless Delete Missing Contacts is on', async () => {
		holds(contact('a'), contact('old'));

		const { items } = await sync(rows('a'), { options: all });

		expect(items).toHaveLength(1);
		expect(changes()).toEqual([]);
	});

	it('are deleted after all others are up to date, each with an item linked to all', async () => {
		holds(contact('a'), contact('old'), contact('older'));
		let isChanged = false;
		service.patch(pathOf('b@example.com')).reply(async () => {
			await new Promise((resolve) => setTimeout(resolve, 100));
			isChanged = true;
			return [204];
		});
		holds(contact('a'), contact('b'), contact('old'), contact('older'));
		expectDeletion('old').reply(() => [isChanged ? 204 : 500]);
		expectDeletion('older').reply(200, { message: 'Deleted' });

		const { items, error } = await sync(rows('b', 'a'), {
			parameters: deleteMissing,
			options: { ...all, maxConcurrent: 5 },
		});

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

	it('stay when one that was created is not listed: the service may have saved it as one of them', async () => {
		holds(contact('annaberg'));
		service.patch(pathOf('anna.berg@example.com')).reply(204);
		holds(contact('annaberg'));

		const { error } = await sync(rows('anna.berg'), { parameters: deleteMissing, options: all });

		expect(error?.message).toBe(
			'No contacts were deleted, because the service does not list anna.berg@example.com',
		);
		expect(changes().map(([method]) => method)).toEqual(['PATCH']);
	});

	it('are deleted already when the service does not find them any more', async () => {
		holds(contact('a'), contact('old'), contact('older'));
		expectDeletion('old').reply(404, { message: 'No such contact' });
		expectDeletion('older').reply(204);

		const { items, error } = await sync(rows('a'), { parameters: deleteMissing, options: all });

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.action)).toEqual(['unchanged', 'deleted', 'deleted']);
	});

	it('are not deleted after a change failed, where errors stop the workflow', async () => {
		holds(contact('a'), contact('old'));
		service.patch(pathOf('b@example.com')).delay(50).reply(422, { message: 'No' });

		const { error } = await sync(rows('b', 'a'), {
			parameters: deleteMissing,
			options: { ...all, maxConcurrent: 5 },
		});

		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(changes()).toHaveLength(1);
	});

	it('are not deleted beside a change that failed, where the workflow continues', async () => {
		holds(contact('a'), contact('old'));
		service.patch(pathOf('b@example.com')).reply(422, { message: 'No' });

		const { items, errorItems } = await sync(rows('a', 'b'), {
			parameters: deleteMissing,
			options: all,
			onError: 'continueErrorOutput',
		});

		expect(items.map(({ json }) => json.action)).toEqual(['unchanged']);
		expect(errorItems).toEqual([
			expect.objectContaining({
				json: expect.objectContaining({ email: 'b@example.com', httpCode: '422' }),
				pairedItem: { item: 1 },
			}),
			expect.objectContaining({
				json: expect.objectContaining({
					error: 'No contacts were deleted, because an input item failed',
				}),
			}),
		]);
	});

	it('have an error of their own when the service refuses, and the others are deleted', async () => {
		holds(contact('a'), contact('old'), contact('older'));
		expectDeletion('old').reply(403, { message: 'Words of the service' });
		expectDeletion('older').reply(204);

		const { items } = await sync(rows('a'), {
			parameters: deleteMissing,
			options: all,
			onError: 'continueRegularOutput',
		});

		expect(items.map(({ json }) => [json.action, json.email])).toEqual([
			['unchanged', 'a@example.com'],
			[undefined, 'old@example.com'],
			['deleted', 'older@example.com'],
		]);
		expect(items[1].json.error).toMatch(/no permission to delete the contact "old@example.com"/);
		expect(items[1].json.errorDescription).toContain('Words of the service');
	});

	it('stop the workflow when one of them cannot be deleted', async () => {
		holds(contact('a'), contact('old'), contact('older'));
		expectDeletion('old').reply(500, { message: 'Words of the service' });

		const { error, items } = await sync(rows('a'), { parameters: deleteMissing, options: all });

		expect(error?.message).toContain('delete the contact "old@example.com"');
		expect(items).toEqual([]);
		expect(changes()).toHaveLength(1);
	});

	it.each([
		['10% unless it is set', {}, 10, 2, /would delete 2 of 10 contacts, more than 10%/],
		['exactly the limit', {}, 10, 1, undefined],
		[
			'the limit that is set',
			{ maxDeletions: 50 },
			10,
			6,
			/delete 6 of 10 contacts, more than 50%/,
		],
		['0%', { maxDeletions: 0 }, 200, 1, /would delete 1 of 200 contacts, more than 0%/],
	])('are limited: %s', async (_what, options, total, missing, message) => {
		const names = Array.from({ length: total }, (_value, index) => `p${index}`);
		holds(...names.map(contact));
		if (message === undefined) expectDeletion(names[total - 1]).reply(204);

		const { error, items } = await sync(
			rows(...names.slice(0, total - missing), 'new').slice(0, total - missing),
			{
				parameters: deleteMissing,
				options,
			},
		);

		if (message === undefined) expect(error).toBeUndefined();
		else {
			expect(error?.message).toMatch(message);
			expect(error?.description).toMatch(/Nothing was changed/);
			expect(items).toEqual([]);
			expect(changes()).toEqual([]);
		}
	});

	it.each([
		[100_001, /at most 100000 deletions/, /lacks 100001 contacts\. Nothing was changed/],
		[100_000, /delete 100000 of 100000 contacts, more than 99%/, /Nothing was changed/],
	])('are limited to what n8n can handle: %i', async (length, message, description) => {
		holds(...Array.from({ length }, (_value, index) => `p${index}@example.com`));

		const { error } = await sync(rows('a'), {
			parameters: deleteMissing,
			options: { maxDeletions: 99 },
		});

		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(description);
		expect(changes()).toEqual([]);
	});

	it('do not hold back changes of their own: too many deletions change nothing at all', async () => {
		holds(contact('a'), contact('old'));

		const { items } = await sync(rows('a', 'new'), {
			parameters: deleteMissing,
			onError: 'continueRegularOutput',
		});

		expect(changes()).toEqual([]);
		for (const { json } of items) expect(json.error).toMatch(/would delete 1 of 2 contacts/);
		expect(items).toHaveLength(2);
	});
});

describe('an item that cannot be sent', () => {
	it.each(['', 'anna', 'Anna <anna>', null])(
		'could be any contact when its address is %j: nothing is deleted, and that is said',
		async (email) => {
			holds(contact('a'), contact('old'));
			service.patch(pathOf('b@example.com')).reply(204);

			const { items, errorItems } = await sync([...rows('a'), { json: { email } }, ...rows('b')], {
				parameters: deleteMissing,
				options: all,
				onError: 'continueErrorOutput',
			});

			expect(items.map(({ json }) => json.action)).toEqual(['unchanged', 'created']);
			expect(changes()).toHaveLength(1);
			expect(errorItems.map(({ json }) => json.error)).toEqual([
				expect.stringMatching(/"Email" is empty|is not an email address/),
				expect.stringMatching(/No contacts were deleted, because an input item has no valid/),
			]);
			expect(errorItems[1].pairedItem).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		},
	);

	it.each([
		[1, 'an input item has', 'its own'],
		[2, '2 input items have', 'theirs'],
	])('is counted: %i', async (count, have, whose) => {
		holds(contact('a'), contact('old'));
		const invalid = Array.from({ length: count }, () => ({ json: { email: '' } }));

		const { items } = await sync([...rows('a'), ...invalid], {
			parameters: deleteMissing,
			onError: 'continueRegularOutput',
		});

		const errors = items.map(({ json }) => json).filter(({ email }) => email === undefined);
		expect(errors).toEqual([
			{
				error: expect.stringContaining(
					`No contacts were deleted, because ${have} no valid email address`,
				),
				errorDescription: `Any of the contacts could be ${whose}. Correct the address, then run the workflow again.`,
			},
		]);
	});

	it('never counts as missing when its address is known, and no other is deleted', async () => {
		holds(contact('a'), contact('bad'), contact('old'));

		const { items } = await sync(rows('a', 'bad'), {
			parameters: {
				...deleteMissing,
				dataToSend: 'json',
				bodyJson: '={{ $json.first_name === "bad" ? "{" : { first_name: $json.first_name } }}',
			},
			options: all,
			onError: 'continueRegularOutput',
		});

		expect(items.map(({ json }) => [json.action ?? 'error', json.email])).toEqual([
			['unchanged', 'a@example.com'],
			['error', 'bad@example.com'],
			['error', undefined],
		]);
	});

	it('for which n8n cannot evaluate an expression could be any contact, too', async () => {
		holds(contact('a'), contact('old'));

		const { items } = await sync(rows('a', 'bad'), {
			parameters: {
				...deleteMissing,
				email:
					"={{ $json.first_name === 'bad' ? $('No Such Node').item.json.email : $json.email }}",
			},
			options: all,
			onError: 'continueRegularOutput',
		});

		expect(items[0].json.action).toBe('unchanged');
		expect(items.map(({ json }) => json.error)).toContainEqual(
			expect.stringMatching(/No contacts were deleted/),
		);
		expect(changes()).toEqual([]);
	});

	it('stops the workflow before anything is sent otherwise', async () => {
		const { error } = await sync([...rows('a'), { json: { email: '' } }], {
			parameters: deleteMissing,
		});

		expect(error?.message).toMatch(/"Email" is empty.*\[item 1\]/);
		expect(service.requests).toEqual([]);
	});
});

import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { contactsOf, pathOf, sync, table } from '../support/contacts.cts';
import { outputOf, type Run } from '../support/operations.cts';

const service = mockService();
const { holds, changes } = contactsOf(service);

const contact = (name: string): IDataObject & { email: string } => ({
	email: `${name}@example.com`,
	first_name: name,
});
const rows = (...names: string[]) => table(...names.map(contact));
const holdsNames = (...names: string[]) => holds(...names.map(contact));
const expectDeletion = (name: string) => service.delete(pathOf(`${name}@example.com`));
const expectChange = (name: string) => service.patch(pathOf(`${name}@example.com`));
type More = NonNullable<Parameters<Run>[2]>;

/** Runs Sync with Delete Missing Contacts. */
const remove = async (
	items: ReturnType<typeof table>,
	{ options, parameters, ...more }: More & { options?: IDataObject; parameters?: IDataObject } = {},
) =>
	await sync(items, {
		...more,
		parameters: { deleteMissing: true, ...parameters },
		options: { maxDeletions: 100, ...options },
	});
const actionsOf = (output: IDataObject[]) => output.map(({ action }) => action);

describe('contacts that no item has', () => {
	it('stay unless Delete Missing Contacts is on', async () => {
		holdsNames('a', 'old');

		expect(await outputOf(sync(rows('a'), { options: { maxDeletions: 100 } }))).toHaveLength(1);
		expect(changes()).toEqual([]);
	});

	it('are deleted after all others are up to date, each with an item linked to all', async () => {
		let isChanged = false;
		holdsNames('a', 'old', 'older');
		expectChange('b').reply(async () => {
			await new Promise((resolve) => setTimeout(resolve, 50));
			isChanged = true;
			return [204];
		});
		holdsNames('a', 'b', 'old', 'older');
		expectDeletion('old').reply(() => [isChanged ? 204 : 500]);
		expectDeletion('older').reply(200, { message: 'Deleted' });

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

	it('stay when one that was created is not listed: the service may have saved it as one of them', async () => {
		holdsNames('annaberg');
		expectChange('anna.berg').reply(204);
		holdsNames('annaberg');

		const { error } = await remove(rows('anna.berg'));

		expect(error?.message).toBe(
			'No contacts were deleted, because the service does not show what was sent for anna.berg@example.com',
		);
		expect(changes()).toHaveLength(1);
	});

	it('stay when the list does not show a change whose response did not show it either', async () => {
		holds({ ...contact('a'), first_name: 'Old' }, contact('old'));
		expectChange('a').reply(200, { results: [{ success: false }] });
		holds({ ...contact('a'), first_name: 'Old' }, contact('old'));

		const { error } = await remove(rows('a'));

		expect(error?.message).toBe(
			'No contacts were deleted, because the service does not show what was sent for a@example.com',
		);
		expect(changes()).toHaveLength(1);
	});

	it('stay when a response names one of them in place of the one that was written', async () => {
		holdsNames('anna.berg');
		expectChange('anna').reply(200, contact('anna.berg'));

		const { items } = await remove(rows('anna'), { onError: 'continueRegularOutput' });

		expect(items.map(({ json }) => json.error)).toEqual([
			expect.stringContaining('the contact "anna.berg@example.com" instead of the contact "anna@'),
			'No contacts were deleted, because an input item failed',
		]);
		expect(changes()).toHaveLength(1);
	});

	it('are deleted already when the service does not find them any more', async () => {
		holdsNames('a', 'old', 'older');
		expectDeletion('old').reply(404, { message: 'No such contact' });
		expectDeletion('older').reply(204);

		const output = await outputOf(remove(rows('a')));

		expect(actionsOf(output)).toEqual(['unchanged', 'deleted', 'deleted']);
	});

	it('are not deleted after a change failed, where errors stop the workflow', async () => {
		holdsNames('a', 'old');
		expectChange('b').delay(50).reply(422, { message: 'No' });

		const { error } = await remove(rows('b', 'a'), { options: { maxConcurrent: 5 } });

		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(changes()).toHaveLength(1);
	});

	it('are not deleted beside a change that failed, where the workflow continues', async () => {
		holdsNames('a', 'old');
		expectChange('b').reply(422, { message: 'No' });

		const { items, errorItems } = await remove(rows('a', 'b'), { onError: 'continueErrorOutput' });

		expect(actionsOf(items.map(({ json }) => json))).toEqual(['unchanged']);
		expect(errorItems).toMatchObject([
			{ json: { email: 'b@example.com', httpCode: '422' }, pairedItem: { item: 1 } },
			{ json: { error: 'No contacts were deleted, because an input item failed' } },
		]);
	});

	it('have an error of their own when the service refuses, and the others are deleted', async () => {
		holdsNames('a', 'old', 'older');
		expectDeletion('old').reply(403, { message: 'Words of the service' });
		expectDeletion('older').reply(204);

		const { items } = await remove(rows('a'), { onError: 'continueRegularOutput' });

		expect(items.map(({ json }) => [json.action, json.email])).toEqual([
			['unchanged', 'a@example.com'],
			[undefined, 'old@example.com'],
			['deleted', 'older@example.com'],
		]);
		expect(items[1].json.error).toMatch(/no permission to delete the contact "old@example.com"/);
		expect(items[1].json.errorDescription).toContain('Words of the service');
	});
});

describe('the limit of deletions', () => {
	const names = (length: number) => Array.from({ length }, (_value, index) => `p${index}`);

	it('is 10% unless it is set, which can be reached', async () => {
		holdsNames(...names(10));
		expectDeletion('p9').reply(204);

		await outputOf(remove(rows(...names(9)), { options: { maxDeletions: undefined } }));
	});

	it.each([
		['10% unless it is set', undefined, 10, 2, /would delete 2 of 10 contacts, more than 10%$/],
		['the one that is set', 50, 10, 6, /delete 6 of 10 contacts, more than 50%$/],
		['0%', 0, 200, 1, /would delete 1 of 200 contacts, more than 0%$/],
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

	it('names the first ten contacts above it, and no item, and how to go on however long the names are', async () => {
		holdsNames(...names(12).map((name) => name.repeat(1000)));

		const { error } = await remove(rows('anna'), { options: { maxDeletions: 10 } });

		expect(error?.message).toMatch(/would delete 12 of 12 contacts, more than 10%$/);
		expect(error?.description).toMatch(
			/ (p\w{149}…, ){9}p\w{149}… and 2 more\. .* raise "Max Deletions \(%\)" in the options\.$/,
		);
	});
});

describe('an item that cannot be sent', () => {
	it.each(['', 'anna', null])(
		'could be any contact when its address is %j: nothing is deleted, and that is said',
		async (email) => {
			holdsNames('a', 'old');
			expectChange('b').reply(204);
			const items = [...rows('a'), { json: { email } }, ...rows('b')];

			const result = await remove(items, { onError: 'continueErrorOutput' });

			expect(result.items.map(({ json }) => json.action)).toEqual(['unchanged', 'created']);
			expect(changes()).toHaveLength(1);
			expect(result.errorItems.map(({ json }) => json.error)).toEqual([
				expect.stringMatching(/"Email" is empty|is not an email address/),
				expect.stringMatching(/No contacts were deleted, because an input item failed/),
			]);
			expect(result.errorItems[1].pairedItem).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		},
	);

	it('never counts as missing when its address is known, and no other is deleted', async () => {
		holdsNames('a', 'bad', 'old');
		const bodyJson = '={{ $json.first_name === "bad" ? "{" : { first_name: $json.first_name } }}';

		const { items } = await remove(rows('a', 'bad'), {
			parameters: { dataToSend: 'json', bodyJson },
			onError: 'continueRegularOutput',
		});

		expect(items.map(({ json }) => [json.action ?? 'error', json.email])).toEqual([
			['unchanged', 'a@example.com'],
			['error', 'bad@example.com'],
			['error', undefined],
		]);
	});

	it('stops the workflow before anything is sent otherwise', async () => {
		const { error } = await remove([...rows('a'), { json: { email: '' } }]);

		expect(error?.message).toMatch(/"Email" is empty.*\[item 1\]/);
		expect(service.requests).toEqual([]);
	});
});

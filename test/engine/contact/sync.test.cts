import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { useService } from '../../support/service.cts';
import { contactsOf, listPath, pathOf, sync, table } from '../support/contacts.cts';
import { expectRefusal, newKey, operation, outputOf } from '../support/operations.cts';

const anna = { email: 'anna@example.com', first_name: 'Anna', company: 'Example' };
const bob = { email: 'bob@example.com', first_name: 'Bob', company: 'Example' };
const actionsOf = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.action);

/** Runs Sync with Delete Missing Contacts. */
const remove = async (...[items, more = {}]: Parameters<typeof sync>) =>
	await sync(items, {
		...more,
		parameters: { deleteMissing: true, ...more.parameters },
		options: { maxDeletions: 100, ...more.options },
	});

describe('the contacts of the service', () => {
	const service = useService();
	const changes = () => service.requests.filter(({ method }) => method !== 'GET');
	const syncAll = async (...rows: IDataObject[]) => {
		const { credentials } = service;
		const output = await outputOf(remove(table(...rows), { credentials, options: { userId: '' } }));
		return output.map(({ action }) => action);
	};
	const rows: IDataObject[] = [
		{
			...{ email: 'Anna@Example.com', first_name: ' Anna ', company: null, vip: true, note: '' },
			...{ plz: '08001', mobile: 41440000000, score: 4.5, pin_code: '560001' },
		},
		{ ...bob, created_date: '2020-01-01' },
	];

	it('are those of the table after one sync, and the second sends nothing', async () => {
		expect(await syncAll(...rows)).toEqual(['created', 'created']);
		expect(changes()).toHaveLength(2);

		expect(await syncAll(...rows)).toEqual(['unchanged', 'unchanged']);
		expect(changes()).toHaveLength(2);
	});

	it('are changed only where what Get Many returned was, and deleted where it is missing', async () => {
		await syncAll(...rows);
		const getMany = operation('contact: getAll', { returnAll: true });
		const { credentials } = service;
		const [first, second] = await outputOf(getMany({}, { userId: '' }, { credentials }));

		expect(await syncAll({ ...first, plz: '8001' }, second)).toEqual(['updated', 'unchanged']);
		expect(await syncAll(first)).toEqual(['updated', 'deleted']);
		expect(await service.getContacts()).toMatchObject([{ email: first.email, plz: '08001' }]);
		expect(changes()).toHaveLength(5);
	});
});

describe('Sync', () => {
	const service = mockService();
	const { holds, changes } = contactsOf(service);

	/** Contacts of which nothing but the name matters. */
	const contact = (name: string) => ({ email: `${name}@example.com`, first_name: name });
	const rowsOf = (...names: string[]) => table(...names.map(contact));
	const holdsNames = (...names: string[]) => holds(...names.map(contact));
	const expectDeletion = (name: string) => service.delete(pathOf(`${name}@example.com`));
	const expectChange = (name: string) => service.patch(pathOf(`${name}@example.com`));

	it('sends the contacts that differ, deletes none, and links each item to its input', async () => {
		holds(anna, { ...bob, email: 'BOB@example.com' }, { contact: contact('cleo') });
		service.patch(pathOf('BOB@example.com')).reply(200, { message: 'Updated' });
		expectChange('dora').reply(204);

		const { items, error, next } = await sync(
			table({ email: 'dora@example.com', first_name: 'Dora', company: null }, anna, {
				...{ ...bob, company: 'Other', phone_number: 41 },
			}),
			{ next: { email: "={{ $('Input').item.json.email }}" } },
		);

		expect(error).toBeUndefined();
		expect(changes()).toEqual([
			['PATCH', 'dora@example.com', { first_name: 'Dora' }],
			['PATCH', 'BOB@example.com', { company: 'Other', phone_number: '41' }],
		]);
		expect(items).toMatchObject(
			[
				{ action: 'created', email: 'dora@example.com', changes: ['first_name'] },
				{ action: 'unchanged', email: anna.email, changes: [] },
				{ action: 'updated', email: 'BOB@example.com', changes: ['company', 'phone_number'] },
			].map((json, item) => ({ json, pairedItem: { item } })),
		);
		expect(next.map(({ email }) => email)).toEqual(['dora@example.com', anna.email, bob.email]);
	});

	it('shows everything in a dry run, and sends nothing but the request for the list', async () => {
		const query = { parameters: [{ name: 'company', value: 'Example' }] };
		service
			.get(listPath)
			.query({ company: 'Example' })
			.reply(200, [anna, bob, contact('cleo')]);
		const items = table({ ...anna, company: 'New' }, { email: 'dora@example.com' });

		const more = { parameters: { dryRun: true }, options: { maxDeletions: 0, query } };
		const { items: shown, run } = await remove(items, more);

		const would = { dryRun: true, reason: expect.stringContaining('would') as string };
		expect(shown.map(({ json }) => json)).toEqual([
			{ action: 'updated', email: anna.email, changes: ['company'], ...would },
			{ action: 'created', email: 'dora@example.com', changes: [], ...would },
			{ action: 'deleted', email: bob.email, changes: [], ...would },
			{ action: 'deleted', email: 'cleo@example.com', changes: [], ...would },
		]);
		expect(JSON.stringify(run.hints)).toMatch(/dry run.*|the node would fail/);
		expect(service.requests).toHaveLength(1);
	});

	describe('refuses, before it changes anything,', () => {
		it('several items for one address, for all items, with what to do', async () => {
			const items = table(bob, anna, { ...anna, email: 'ANNA@example.com' });
			const message = 'The items 1 and 2 have the same address, "anna@example.com" [item 2]';
			await expectRefusal(service, sync(items), message, { item: 2, advice: /^Nothing was sent/ });

			const continued = await sync(items, { onError: 'continueRegularOutput' });
			expect(continued.items.map(({ json }) => json.error)).toEqual([message, message, message]);
		});

		it.each<[string, Parameters<typeof sync>[1]]>([
			['User ID', { options: { userId: '={{ $json.first_name }}' } }],
			['Delete Missing Contacts', { parameters: { deleteMissing: '={{ $itemIndex === 1 }}' } }],
			['Max Deletions (%)', { options: { maxDeletions: '={{ $itemIndex }}' } }],
			['Dry Run', { parameters: { dryRun: '={{ $itemIndex === 1 }}' } }],
			['Credential to connect with', { credentials: { apiKey: '=key-{{ $json.first_name }}' } }],
		])('items that differ in "%s"', async (label, more) => {
			const message = `"${label}" of item 1 differs from that of item 0`;
			await expectRefusal(service, sync(table(anna, bob), more), message, { item: 1 });
		});

		it('what the node hid', async () => {
			const message = '"pin" in "Auto-Map Input Data to Fields" is "[hidden]"';
			await expectRefusal(service, sync(table({ ...anna, pin: '[hidden]' })), message);
		});

		it('to delete contacts with Execute Once, which hides the other items', async () => {
			const message = /needs all input items, but "Execute Once" is on/;
			await expectRefusal(service, remove(table(anna), { executeOnce: true }), message);
		});
	});

	describe('deletes contacts that no item has', () => {
		it('after all others are up to date, each with an item linked to all', async () => {
			let isChanged = false;
			holdsNames('a', 'old', 'older');
			expectChange('b').reply(async () => {
				await new Promise((resolve) => setTimeout(resolve, 50));
				isChanged = true;
				return [204];
			});
			for (const name of ['old', 'older'])
				expectDeletion(name).reply(() => [isChanged ? 204 : 500]);

			const { items, error } = await remove(rowsOf('b', 'a'), { options: { maxConcurrent: 5 } });

			expect(error).toBeUndefined();
			expect(items.slice(2)).toMatchObject(
				['old', 'older'].map((name) => ({
					json: { action: 'deleted', email: `${name}@example.com`, changes: [] },
					pairedItem: [{ item: 0 }, { item: 1 }],
				})),
			);
		});

		it.each([
			['a change that failed', 'b@example.com'],
			['an item without an address', null],
		])('but not beside %s, and says so', async (_what, email) => {
			holdsNames('a', 'old');
			if (email !== null) expectChange('b').reply(422, { message: 'No' });
			const items = [...rowsOf('a'), { json: { email, first_name: 'b' } as IDataObject }];

			const result = await remove(items, { onError: 'continueErrorOutput' });

			expect(actionsOf(result.items)).toEqual(['unchanged']);
			expect(result.errorItems).toMatchObject([{ pairedItem: { item: 1 } }]);
			expect(JSON.stringify(result.run.hints)).toMatch(/No contacts were deleted/);
		});

		it('with an error for each that the service keeps; those that are gone are deleted', async () => {
			holdsNames('old', 'older', 'oldest', 'kept');
			expectDeletion('old').reply(403, { message: 'Words of the service' });
			expectDeletion('older').reply(404, { message: 'No such contact' });
			expectDeletion('kept').reply(200, { message: 'queued' });
			service.get(pathOf('kept@example.com')).reply(200, contact('kept'));
			expectDeletion('oldest').reply(204);
			expectChange('a').reply(200, contact('a'));

			const result = await remove(rowsOf('a'), { onError: 'continueErrorOutput' });

			expect(actionsOf(result.items)).toEqual(['created', 'deleted', 'deleted']);
			// Not as if the first item had failed, whose fields n8n adds.
			expect(result.errorItems.map(({ json }) => json)).toMatchObject([
				{ contactEmail: 'old@example.com', httpCode: '403' },
				{
					contactEmail: 'kept@example.com',
					error: expect.stringContaining('The contact is still there') as string,
				},
			]);
		});
	});

	describe('has a limit of deletions', () => {
		const names = (length: number) => Array.from({ length }, (_value, index) => `p${index}`);

		it.each([
			[undefined, 14, 3, /would delete 3 of 14 contacts, more than 20%$/],
			[50, 10, 6, /delete 6 of 10 contacts, more than 50%$/],
		])('of %j %%: above it, nothing changes', async (maxDeletions, total, missing, message) => {
			holdsNames(...names(total));

			const options = { maxDeletions };
			const { error, items } = await remove(rowsOf(...names(total - missing)), { options });

			expect(error?.message).toMatch(message);
			expect(error?.description).toMatch(/Nothing was changed/);
			expect([items, changes()]).toEqual([[], []]);
		});
	});
});

/** Who waits, and what a failure or a cancellation does to the others, is in the unit tests of the lock. */
describe('executions at the same time', () => {
	const service = mockService();
	const { holds, changes } = contactsOf(service);

	it('read the list after the one before has deleted a contact, but for a dry run', async () => {
		const [anna, bob] = [{ email: 'anna@x.example' }, { email: 'bob@x.example' }];
		const change = { ...anna, company: 'New' };
		const credentials = newKey();
		const run = async (rows: IDataObject[], parameters: IDataObject = {}) =>
			await remove(table(...rows), { credentials, parameters });
		let [give, tell] = [() => {}, () => {}];
		const given = new Promise<void>((resolve) => (give = resolve));
		const isSent = new Promise<void>((resolve) => (tell = resolve));
		holds(anna, bob);
		service.patch(pathOf(anna.email)).reply(async () => {
			tell();
			await given;
			return [200, change];
		});
		const first = run([change]);
		await isSent;
		const second = run([change, bob]);
		holds(anna, bob);
		expect((await run([bob], { dryRun: true })).error).toBeUndefined();
		holds(change);
		service.delete(pathOf(bob.email)).reply(204);
		service.patch(pathOf(bob.email)).reply(200, bob);
		give();

		for (const { error } of await Promise.all([first, second])) expect(error).toBeUndefined();
		expect(changes().map(([method]) => method)).toEqual(['PATCH', 'DELETE', 'PATCH']);
	});
});

import type { IDataObject } from 'n8n-workflow';
import type { RunNodeOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { contactsOf, pathOf, sync, table } from '../support/contacts.cts';
import { containerId, itemsWith, operation, outputOf, tries } from '../support/operations.cts';
import { path as rulesPath, revoke, rules, update } from '../support/rules.cts';

const service = mockService();
const { holds, changes } = contactsOf(service);
const continuing = { onError: 'continueRegularOutput' as const, ...tries };

describe('Delete', () => {
	const remove = operation('container: delete', { containerId: containerId('={{ $json.id }}') });
	const removeContact = operation('contact: delete', { contactEmail: '={{ $json.id }}' });
	const answer = (...answers: Array<[id: string, status: number]>) => {
		for (const [id, status] of answers) service.delete(`/containers/${id}`).reply(status);
	};

	it('deletes a record once that the input has several times', async () => {
		answer(['1', 204]);

		const output = await outputOf(remove({}, {}, { items: itemsWith('1', '1') }));
		expect(output).toEqual([1, 2].map(() => ({ deleted: true, containerId: '1' })));
	});

	it('does not take a record that is not found for another one that it deleted', async () => {
		const emails = ['anna@example.com', 'bob@example.com'];
		answer(['1', 204], ['2', 404]);
		service.delete(pathOf(emails[0])).reply(204);
		service.delete(pathOf(emails[1])).reply(404);

		for (const [run, ids] of [[remove, ['1', '2']] as const, [removeContact, emails] as const]) {
			const { items } = await run({}, {}, { items: itemsWith(...ids), ...continuing });
			expect(items.map(({ json }) => json.deleted)).toEqual([true, undefined]);
		}
	});

	it.each([
		['after a lost response', 503, true],
		['not after a rate limit', 429, undefined],
	])('counts what is not found as deleted %s', async (_when, status, deleted) => {
		answer(['1', status], ['1', 404]);
		const { items } = await remove({}, { maxRetries: 1 }, { items: itemsWith('1') });
		expect(items[0]?.json.deleted).toBe(deleted);
	});

	it('deletes each container once with Retry On Fail, although one has an unknown outcome at first', async () => {
		answer(['1', 204], ['2', 500], ['2', 404], ['3', 204]);

		const output = await outputOf(remove({}, {}, { items: itemsWith('1', '2', '3'), ...tries }));

		expect(service.requests.map(({ path }) => path.at(-1)).join('')).toBe('1223');
		expect(output.map((json) => json.containerId)).toEqual(['1', '2', '3']);
	});

	it('remembers an unknown outcome when the last attempt of a try has another one', async () => {
		answer(['1', 503], ['1', 422], ['1', 404]);

		await outputOf(remove({}, { maxRetries: 1 }, { items: itemsWith('1'), ...tries }));
	});
});

describe('contacts with Retry On Fail', () => {
	const anna = { email: 'anna@example.com', first_name: 'Anna' };
	const bob = { email: 'bob@example.com', first_name: 'Bob' };
	const deleteMissing = { parameters: { deleteMissing: true }, options: { maxDeletions: 100 } };

	it('are deleted only where they are missing in all items, and the output has what each try did', async () => {
		const leavers = ['cleo@example.com', 'dora@example.com'];
		const others = leavers.map((email) => ({ ...anna, email }));
		holds(...others);
		service.patch(pathOf(anna.email)).reply(204);
		service.patch(pathOf(bob.email)).reply(204);
		service.delete(pathOf(leavers[0])).reply(204);
		service.delete(pathOf(leavers[1])).reply(422, { message: 'no' });
		service.delete(pathOf(leavers[1])).reply(204);

		const output = await outputOf(sync(table(anna, bob), { ...deleteMissing, ...tries }));

		expect(changes()).toHaveLength(5);
		expect(output.map(({ action, email }) => [action, email]).sort()).toEqual([
			['created', anna.email],
			['created', bob.email],
			...leavers.map((email) => ['deleted', email]),
		]);
	});
});

describe('rules with Retry On Fail', () => {
	const ending = (end: string) => ({ dynamic: true, time: { end } });
	const [first, second, third] = ['2099-01-01', '2099-01-08', '2099-01-15'];
	const read = (held: IDataObject) => service.get(rulesPath).reply(200, held as object);
	const change = ({ dynamic, ...sent }: IDataObject, status: number) =>
		service.patch(rulesPath, sent as never).reply(status, { dynamic, ...sent } as object);
	const extend = async (fields: IDataObject = {}, more: Partial<RunNodeOptions> = {}) =>
		await update(rules({ extendByDays: 7, ...fields }), {}, { ...tries, ...more });

	it('that are ended already are left alone: no other item restores access', async () => {
		const ended = ending('2020-01-01');
		service.get(rulesPath).reply(422, { message: 'no' });
		read(ended);
		read(ended);

		expect(
			await outputOf(revoke({}, {}, { items: itemsWith('c-1', 'c-1'), ...continuing })),
		).toEqual([1, 2].map(() => ({ containerId: 'c-1', changed: false, ...ended })));
	});

	it.each([
		['was made although its response was lost', second, false],
		['was not made', first, true],
	])('are extended once when the change %s', async (_what, shown, again) => {
		read(ending(first));
		change(ending(second), 502);
		read(ending(shown));
		if (again) change(ending(second), 200);

		expect(await outputOf(extend())).toMatchObject([ending(second)]);
	});

	it('are extended once when they cannot be fetched after the change', async () => {
		read(ending(first));
		service.patch(rulesPath).reply(200, ending(first));
		service.get(rulesPath).reply(500);
		read(ending(second));

		expect(await outputOf(extend())).toMatchObject([ending(second)]);
	});

	it.each([
		['removed the end', { dynamic: true }],
		['set a later end', ending('2099-06-01')],
	])('are not changed when somebody else %s meanwhile', async (_what, held) => {
		read(ending(first));
		change(ending(second), 502);
		read(held);

		expect(await outputOf(extend())).toEqual([{ containerId: 'c-1', changed: true, ...held }]);
	});

	it('are extended once for each item, also when an earlier item of the same container fails at first', async () => {
		read(ending(first));
		change(ending(second), 422);
		read(ending(first));
		change(ending(second), 200);
		read(ending(second));
		change(ending(third), 200);

		expect(
			await outputOf(extend({}, { items: itemsWith('c-1', 'c-1'), ...continuing })),
		).toMatchObject([ending(third), ending(second)]);
	});
});

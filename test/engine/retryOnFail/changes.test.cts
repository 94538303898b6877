import type { INodeParameters } from 'n8n-workflow';
import { runNode, type RunNodeOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { contactsOf, listPath, pathOf, sync, table } from '../support/contacts.cts';
import { containerId, itemsWith, newService, sequential, userId } from '../support/operations.cts';

const service = mockService();

const tries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const ids = ['1', '2', '3', '4', '5'];

const sent = (method: string) =>
	service.requests.filter((request) => request.method === method).map(({ path }) => path.at(-1));

describe('Delete with Retry On Fail', () => {
	const parameters: INodeParameters = {
		resource: 'container',
		operation: 'delete',
		containerId: containerId('={{ $json.id }}'),
		options: sequential,
	};
	const respond = (id: string, status: number) => service.delete(`/containers/${id}`).reply(status);

	it('deletes each container once, although one has an unknown outcome at first', async () => {
		respond('1', 204);
		respond('2', 204);
		respond('3', 500);
		respond('3', 404);
		respond('4', 204);
		respond('5', 204);

		const { items, error } = await runNode({ parameters, items: itemsWith(...ids), ...tries });

		expect(error).toBeUndefined();
		expect(sent('DELETE')).toEqual(['1', '2', '3', '3', '4', '5']);
		expect(items.map(({ json }) => json.containerId)).toEqual(ids);
	});

	it('still fails for a container that was never there', async () => {
		for (const id of ['1', '2', '2', '2']) respond(id, id === '1' ? 204 : 404);

		const { error } = await runNode({ parameters, items: itemsWith(...ids), ...tries });

		expect(error?.message).toMatch(/"2" was not found \[item 1\]/);
	});

	it('remembers an unknown outcome when the last attempt of a try has another one', async () => {
		respond('1', 503);
		respond('1', 422);
		respond('1', 404);

		const { items, error } = await runNode({
			parameters: { ...parameters, options: { maxConcurrent: 1, maxRetries: 1 } },
			items: itemsWith('1'),
			...tries,
		});

		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
	});
});

describe('two items that change the same contact, with Retry On Fail', () => {
	const parameters: INodeParameters = {
		resource: 'contact',
		operation: 'upsert',
		email: '={{ $json.email }}',
		dataToSend: 'autoMapInputData',
		inputsToIgnore: '',
		options: { userId, ...sequential },
	};
	const change = (address: string, phone: string, status = 200) =>
		service
			.patch(`/users/${userId}/contacts/${encodeURIComponent(address)}`, { phone })
			.reply(status, { message: 'no' });
	const items = [
		{ json: { email: 'a@example.com', phone: '1' } },
		{ json: { email: 'b@example.com', phone: '2' } },
		{ json: { email: 'a@example.com', phone: '3' } },
	];

	it('leave the values of the later one, also when the earlier one fails at first', async () => {
		change('a@example.com', '1', 422);
		change('b@example.com', '2');
		change('a@example.com', '3');
		change('a@example.com', '1');
		change('a@example.com', '3');

		const { items: output } = await runNode({
			parameters,
			items,
			onError: 'continueRegularOutput',
			...tries,
		});

		expect(output).toHaveLength(3);
		expect(service.requests.map(({ body }) => (body as { phone: string }).phone)).toEqual([
			'1',
			'2',
			'3',
			'1',
			'3',
		]);
	});
});

describe('Skip Unchanged with Retry On Fail', () => {
	it('fetches a list again that could not be fetched', async () => {
		const contact = { email: 'anna@example.com', first_name: 'Anna' };
		service.get(listPath).reply(500);
		service.get(listPath).reply(200, [contact]);

		const { items, error } = await runNode({
			parameters: {
				resource: 'contact',
				operation: 'upsert',
				email: contact.email,
				dataToSend: 'autoMapInputData',
				options: { userId, ...sequential, skipUnchanged: true },
			},
			items: table(contact),
			...tries,
		});

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([contact]);
	});
});

describe('Sync with Retry On Fail', () => {
	const anna = { email: 'anna@example.com', first_name: 'Anna' };
	const bob = { email: 'bob@example.com', first_name: 'Bob' };
	const leavers = ['cleo@example.com', 'dora@example.com'];

	it('deletes only what is missing in all items, and returns what each try did', async () => {
		const { changes } = contactsOf(service);
		const list = (...emails: string[]) =>
			service.get(listPath).reply(
				200,
				emails.map((email) => ({ email, first_name: 'Anna' })),
			);
		list(...leavers);
		service.patch(pathOf(anna.email)).reply(204);
		service.patch(pathOf(bob.email)).reply(204);
		// The responses don't show what was created.
		list(anna.email, bob.email, ...leavers);
		service.delete(pathOf(leavers[0])).reply(204);
		service.delete(pathOf(leavers[1])).reply(422, { message: 'no' });
		service.delete(pathOf(leavers[1])).reply(204);

		const { items, error } = await sync(table(anna, bob), {
			parameters: { deleteMissing: true },
			options: { maxDeletions: 100 },
			...tries,
		});

		expect(error).toBeUndefined();
		expect(changes()).toHaveLength(5);
		expect(items.map(({ json }) => [json.action, json.email]).sort()).toEqual([
			['created', anna.email],
			['created', bob.email],
			['deleted', leavers[0]],
			['deleted', leavers[1]],
		]);
	});

	it('returns the deletions of all tries', async () => {
		const { holds } = contactsOf(service);
		const list = [
			anna,
			...['cleo', 'dora', 'eve'].map((name) => ({ email: `${name}@example.com` })),
		];
		for (const [first, second] of [
			[1, 2],
			[2, 3],
			[3, undefined],
		] as Array<[number, number?]>) {
			if (first === 1) holds(...list);
			service.delete(pathOf(list[first].email)).reply(204);
			if (second !== undefined) {
				service.delete(pathOf(list[second].email)).reply(422, { message: 'no' });
			}
		}

		const { items, error } = await sync(table(anna), {
			parameters: { deleteMissing: true },
			options: { maxDeletions: 100 },
			...tries,
		});

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.email).sort()).toEqual(list.map(({ email }) => email));
	});
});

describe('two items that change the same container, with Retry On Fail', () => {
	it('leave the rules of the later one, also when the earlier one fails at first', async () => {
		const path = '/containers/c-1/drm';
		const rules = (opens: number) => ({ dynamic: true, opens });
		for (const [before, after, status] of [
			[9, 1, 422],
			[9, 2, 200],
			[2, 1, 200],
			[1, 2, 200],
		]) {
			service.get(path).reply(200, rules(before));
			service.patch(path, rules(after)).reply(status, rules(after));
		}

		const { items } = await runNode({
			parameters: {
				resource: 'drm',
				operation: 'update',
				containerId: containerId('c-1'),
				rules: { opens: '={{ $json.opens }}' },
				options: sequential,
			},
			items: [{ json: { opens: 1 } }, { json: { opens: 2 } }],
			onError: 'continueRegularOutput',
			credentials: newService(),
			...tries,
		});

		expect(items.map(({ json }) => json.opens)).toEqual([1, 2]);
	});
});

describe('two items that revoke access to the same container, with Retry On Fail', () => {
	it('leave alone what is done: no other item restores access', async () => {
		const path = '/containers/c-1/drm';
		const ended = { dynamic: true, time: { end: '2020-01-01' } };
		service.get(path).reply(422, { message: 'no' });
		service.get(path).times(2).reply(200, ended);

		const { items, error } = await runNode({
			parameters: {
				resource: 'drm',
				operation: 'revoke',
				containerId: containerId('c-1'),
				options: sequential,
			},
			items: itemsWith('A', 'B'),
			onError: 'continueRegularOutput',
			credentials: newService(),
			...tries,
		});

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(
			[1, 2].map(() => ({ containerId: 'c-1', changed: false, ...ended })),
		);
	});
});

describe('Extend by Days with Retry On Fail', () => {
	const path = '/containers/c-1/drm';
	const rules = (end: string) => ({ dynamic: true, time: { end } });
	const read = (end: string) => service.get(path).reply(200, rules(end));
	const change = (end: string, status: number) =>
		service.patch(path, rules(end)).reply(status, rules(end));
	const extend = async (more: Partial<RunNodeOptions> = {}, others: INodeParameters = {}) =>
		await runNode({
			parameters: {
				resource: 'drm',
				operation: 'update',
				containerId: containerId('c-1'),
				rules: { extendByDays: 7, ...others },
				options: sequential,
			},
			credentials: newService(),
			...tries,
			...more,
		});

	it('extends once when the change was made although its response was lost', async () => {
		read('2099-01-01');
		service.patch(path, rules('2099-01-08')).reply(502);
		read('2099-01-08');

		const { items, error } = await extend();

		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject(rules('2099-01-08'));
	});

	it('extends when the change was not made', async () => {
		read('2099-01-01');
		service.patch(path, rules('2099-01-08')).reply(502);
		read('2099-01-01');
		service.patch(path, rules('2099-01-08')).reply(200, rules('2099-01-08'));

		const { items, error } = await extend();

		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject(rules('2099-01-08'));
	});

	it('extends once when the rules cannot be fetched after the change', async () => {
		read('2099-01-01');
		service.patch(path, rules('2099-01-08')).reply(200, rules('2099-01-01'));
		service.get(path).reply(500);
		read('2099-01-08');

		const { items, error } = await extend();

		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject(rules('2099-01-08'));
	});

	it('keeps the end and sends the other rules when only those were not changed', async () => {
		read('2099-01-01');
		service.patch(path).reply(502);
		read('2099-01-08');
		const all = { ...rules('2099-01-08'), time: { start: '2098-01-01', end: '2099-01-08' } };
		service.patch(path, { ...all, opens: 2 }).reply(204);

		const { error } = await extend({}, { timeStart: '2098-01-01', opens: 2 });

		expect(error).toBeUndefined();
	});

	it('sends nothing when somebody else removed the end meanwhile', async () => {
		read('2099-01-01');
		change('2099-01-08', 502);
		service.get(path).reply(200, { dynamic: true });

		const { items, error } = await extend();

		expect(error).toBeUndefined();
		expect(items[0].json).toEqual({ containerId: 'c-1', changed: true, dynamic: true });
	});

	it('moves no later end that somebody else set meanwhile', async () => {
		read('2099-01-01');
		change('2099-01-08', 502);
		read('2099-06-01');

		const { error } = await extend();

		expect(error).toBeUndefined();
	});

	it('extends once for each item, also when an earlier item of the same container fails at first', async () => {
		read('2099-01-01');
		change('2099-01-08', 422);
		read('2099-01-01');
		change('2099-01-08', 200);
		read('2099-01-08');
		change('2099-01-15', 200);

		const { items } = await extend({
			items: itemsWith('A', 'B'),
			onError: 'continueRegularOutput',
		});

		expect(items.map(({ json }) => (json.time as { end: string }).end)).toEqual([
			'2099-01-15',
			'2099-01-08',
		]);
	});
});

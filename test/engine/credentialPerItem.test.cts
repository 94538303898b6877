import { setTimeout as wait } from 'node:timers/promises';
import { FixedCredentials } from '../../tools/engine/credentials.cts';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { sync, table } from './support/contacts.cts';
import { containerId, itemsWith, newKey } from './support/operations.cts';

const service = mockService();

describe('a credential with an expression', () => {
	it('is resolved for each item, and so is its user', async () => {
		const { apiKey } = newKey();
		for (const id of ['a', 'b']) {
			service
				.scope()
				.matchHeader('authorization', `Bearer ${apiKey}-${id}`)
				.get('/me')
				.reply(200, { id: `user-${id}` });
			service
				.scope()
				.matchHeader('authorization', `Bearer ${apiKey}-${id}`)
				.get(`/users/user-${id}/containers/c-1`)
				.reply(200, { org_id: `user-${id}` });
		}

		const { items, error } = await runNode({
			parameters: {
				resource: 'container',
				operation: 'getEnvelope',
				containerId: containerId('c-1'),
			},
			items: itemsWith('a', 'b'),
			credentials: { apiKey: `=${apiKey}-{{ $json.id }}` },
		});

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.org_id)).toEqual(['user-a', 'user-b']);
	});

	it('without one is shared by all items: the user is fetched once', async () => {
		service.get('/me').reply(200, { id: 'user-1' });
		for (const id of ['a', 'b']) service.get(`/users/user-1/containers/${id}`).reply(200, { id });

		const { items } = await runNode({
			parameters: {
				resource: 'container',
				operation: 'getEnvelope',
				containerId: containerId('={{ $json.id }}'),
			},
			items: itemsWith('a', 'b'),
			credentials: newKey(),
		});

		expect(items).toHaveLength(2);
	});

	it('does not change the order of the items, however long it takes to load', async () => {
		const load = FixedCredentials.prototype.getDecrypted;
		let loaded = 0;
		jest.spyOn(FixedCredentials.prototype, 'getDecrypted').mockImplementation(async function (
			this: FixedCredentials,
			...values
		) {
			loaded += 1;
			await wait(Math.max(0, 60 - 20 * loaded));
			return await load.apply(this, values);
		});
		for (const id of ['a', 'b', 'c']) service.get(`/containers/${id}`).reply(200, { id });

		const { error } = await runNode({
			parameters: {
				resource: 'container',
				operation: 'get',
				containerId: containerId('={{ $json.id }}'),
				options: { maxConcurrent: 1 },
			},
			items: itemsWith('a', 'b', 'c'),
		});
		jest.restoreAllMocks();

		expect(error).toBeUndefined();
		expect(service.requests.map((request) => request.path)).toEqual(
			['a', 'b', 'c'].map((id) => `/api/v1/containers/${id}`),
		);
	});

	it('is not used when another item failed while it was loaded', async () => {
		const { apiKey } = newKey();
		const load = FixedCredentials.prototype.getDecrypted;
		let failed: () => void = () => undefined;
		const failure = new Promise<void>((resolve) => (failed = resolve));
		let loads = 0;
		jest.spyOn(FixedCredentials.prototype, 'getDecrypted').mockImplementation(async function (
			this: FixedCredentials,
			...values
		) {
			loads += 1;
			// After the first item.
			if (loads === 2) await failure.then(async () => await wait(1000));
			return await load.apply(this, values);
		});
		service.get('/containers/a').reply(() => {
			failed();
			return [422, {}];
		});

		const { error } = await runNode({
			parameters: {
				resource: 'container',
				operation: 'get',
				containerId: containerId('={{ $json.id }}'),
			},
			items: itemsWith('a', 'b'),
			credentials: { apiKey: `=${apiKey}-{{ $json.id }}` },
		});
		jest.restoreAllMocks();

		expect(error?.message).toMatch(/\[item 0\]/);
		expect(service.requests).toHaveLength(1);
	});

	it('is waited for before Sync compares the items, however long it takes to load', async () => {
		const load = FixedCredentials.prototype.getDecrypted;
		jest.spyOn(FixedCredentials.prototype, 'getDecrypted').mockImplementation(async function (
			this: FixedCredentials,
			...values
		) {
			await wait(20);
			return await load.apply(this, values);
		});

		const { error } = await sync(table({ email: 'a@x.example' }, { email: 'b@x.example' }), {
			credentials: { apiKey: '=key-{{ $json.email }}' },
		});
		jest.restoreAllMocks();

		expect(error?.message).toMatch(/"Credential to connect with" of item 1 differs/);
		expect(service.requests).toEqual([]);
	});

	it.each([
		['one at a time', 5, undefined],
		['no longer after the execution is canceled', 1, 'cancel'],
		['no longer for long after an item failed', 2, 'fail'],
	])('is loaded %s', async (_title, expected, atFirst) => {
		const load = FixedCredentials.prototype.getDecrypted;
		const stop = new AbortController();
		const loads = { now: 0, most: 0, all: 0 };
		jest.spyOn(FixedCredentials.prototype, 'getDecrypted').mockImplementation(async function (
			this: FixedCredentials,
			...values
		) {
			loads.all += 1;
			loads.now += 1;
			loads.most = Math.max(loads.most, loads.now);
			await wait(10);
			loads.now -= 1;
			if (loads.all === 1 && atFirst === 'cancel') stop.abort();
			if (loads.all === 1 && atFirst === 'fail') throw new Error('The database is locked');
			return await load.apply(this, values);
		});
		for (const id of 'abcde') {
			service
				.get(`/containers/${id}`)
				.optionally(atFirst !== undefined)
				.reply(200, { id });
		}

		const { error } = await runNode({
			parameters: {
				resource: 'container',
				operation: 'get',
				containerId: containerId('={{ $json.id }}'),
			},
			items: itemsWith(...'abcde'),
			signal: stop.signal,
		});
		await wait(100);
		jest.restoreAllMocks();

		expect(loads).toEqual({ now: 0, most: 1, all: expected });
		expect(error === undefined).toBe(atFirst === undefined);
		if (atFirst === 'fail') expect(error?.description ?? '').toBe('');
	});
});

import { setTimeout as wait } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { FixedCredentials } from '../../tools/engine/credentials.cts';
import { runListSearch, runPoll } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { contact, listPath, pathOf, upsert } from './support/contacts.cts';
import { encode } from './support/encode.cts';
import {
	containerId,
	itemsWith,
	newKey,
	operation,
	outputOf,
	run,
	sequential,
} from './support/operations.cts';
import { revoke } from './support/rules.cts';

const service = mockService();
const otherUrl = 'https://other.example.com/api/v1';
const otherService = mockService(otherUrl);

const byId = { containerId: containerId('={{ $json.id }}') };
const get = operation('container: get', byId);
const getEnvelope = operation('container: getEnvelope', byId);
const byUser = { userId: '' };
const isMe = ({ path }: { path: string }) => path === '/api/v1/me';
const expectMe = (id: string) => service.get('/me').reply(200, { id });

afterEach(() => jest.restoreAllMocks());

describe('the remembered user of an API key', () => {
	const MINUTE = 60_000;
	const list = async (credentials: { apiKey: string }, userId = '') =>
		await run('contact: getAll', {}, { userId }, { credentials });
	const contactsOf = (id: string) => service.get(`/users/${id}/contacts`);
	const refuse = (status = 404) => contactsOf('user-1').reply(status, { message: 'No' });

	/** A key whose user the node knows from an earlier execution. */
	const knownKey = async () => {
		const credentials = newKey();
		expectMe('user-1');
		contactsOf('user-1').reply(200, []);
		await list(credentials);
		service.requests.length = 0;
		return credentials;
	};

	it.each([403, 404])(
		'fails with status %d, and the next execution asks for the new one',
		async (status) => {
			const credentials = await knownKey();
			refuse(status);
			expect((await list(credentials)).error).toBeDefined();
			expect(service.requests).toHaveLength(1);

			expectMe('user-2');
			contactsOf('user-2')
				.times(2)
				.reply(200, [{ email: 'b@x.example' }]);
			for (let execution = 0; execution < 2; execution += 1) {
				expect(await outputOf(list(credentials))).toEqual([{ email: 'b@x.example' }]);
			}
			expect(service.requests.filter(isMe)).toHaveLength(1);
		},
	);

	it('stays the same for all items of an execution', async () => {
		const credentials = await knownKey();
		service.get('/users/user-1/containers/a').times(3).reply(404, {});

		const { items } = await getEnvelope({}, byUser, {
			items: itemsWith('a', 'a', 'a'),
			credentials,
			onError: 'continueRegularOutput',
		});

		expect(items.map(({ json }) => json.error)).toEqual(
			Array(3).fill(expect.stringMatching(/not found/)),
		);
	});

	it('fails a picker and a poll, and the next one asks', async () => {
		const credentials = await knownKey();
		const parameters = { event: 'contactCreated', options: sequential };
		refuse();
		await expect(runListSearch({ method: 'searchContacts', credentials })).rejects.toThrow(/found/);
		expectMe('user-1');
		contactsOf('user-1').reply(200, []);
		expect((await runListSearch({ method: 'searchContacts', credentials })).results).toEqual([]);

		refuse();
		expect((await runPoll({ parameters, credentials })).error?.message).toMatch(/Nothing found/);
		expectMe('user-2');
		contactsOf('user-2').reply(200, []);
		expect((await runPoll({ parameters, credentials })).error).toBeUndefined();
	});

	it('is asked for again after ten minutes', async () => {
		const credentials = await knownKey();
		const start = Date.now();
		contactsOf('user-1').reply(200, []);
		jest.spyOn(Date, 'now').mockImplementation(() => start + 9 * MINUTE);
		await outputOf(list(credentials));
		expect(service.requests.filter(isMe)).toHaveLength(0);

		expectMe('user-2');
		contactsOf('user-2').reply(200, []);
		jest.spyOn(Date, 'now').mockImplementation(() => start + 11 * MINUTE);
		await outputOf(list(credentials));
	});
});

describe('a credential with an expression', () => {
	/** Does this each time the credential is loaded, before that is done. */
	const onLoad = (work: (count: number) => Promise<unknown> | undefined) => {
		const load = FixedCredentials.prototype.getDecrypted;
		let count = 0;
		jest.spyOn(FixedCredentials.prototype, 'getDecrypted').mockImplementation(async function (
			this: FixedCredentials,
			...values
		) {
			count += 1;
			await work(count);
			return await load.apply(this, values);
		});
	};

	it('is resolved for each item, and so is its user', async () => {
		const { apiKey } = newKey();
		for (const id of ['a', 'b']) {
			const scope = () => service.scope().matchHeader('authorization', `Bearer ${apiKey}-${id}`);
			scope()
				.get('/me')
				.reply(200, { id: `user-${id}` });
			scope()
				.get(`/users/user-${id}/containers/${id}`)
				.reply(200, { org_id: `user-${id}` });
		}

		expect(
			await outputOf(
				getEnvelope({}, byUser, {
					items: itemsWith('a', 'b'),
					credentials: { apiKey: `=${apiKey}-{{ $json.id }}` },
				}),
			),
		).toEqual([{ org_id: 'user-a' }, { org_id: 'user-b' }]);
	});

	it('is not used when another item failed while it was loaded', async () => {
		const { apiKey } = newKey();
		let failed: () => void = () => undefined;
		const failure = new Promise<void>((resolve) => (failed = resolve));
		// After the first item.
		onLoad((count) => (count === 2 ? failure.then(async () => await wait(300)) : undefined));
		service.get('/containers/a').reply(() => {
			failed();
			return [422, {}];
		});

		const { error } = await get(
			{},
			{ maxConcurrent: 5 },
			{ items: itemsWith('a', 'b'), credentials: { apiKey: `=${apiKey}-{{ $json.id }}` } },
		);

		expect(error?.message).toMatch(/\[item 0\]/);
		expect(service.requests).toHaveLength(1);
	});

	it.each([
		['one at a time', '={{ "key" }}', 6, undefined],
		['once and looked at once, without an expression', 'key', 2, undefined],
		['no longer after the execution is canceled', 'key', 1, 'cancel'],
		['no longer for long after an item failed', 'key', 2, 'fail'],
	])('is loaded %s', async (_title, apiKey, expected, atFirst) => {
		const stop = new AbortController();
		const loads = { now: 0, most: 0, all: 0 };
		onLoad(async () => {
			loads.all += 1;
			loads.now += 1;
			loads.most = Math.max(loads.most, loads.now);
			await wait(10);
			loads.now -= 1;
			if (loads.all === 1 && atFirst === 'cancel') stop.abort();
			if (loads.all === 1 && atFirst === 'fail') throw new Error('The database is locked');
		});
		for (const id of 'abcde') {
			service
				.get(`/containers/${id}`)
				.optionally(atFirst !== undefined)
				.reply(200, { id });
		}

		const more = { items: itemsWith(...'abcde'), signal: stop.signal };
		const { error } = await get({}, { maxConcurrent: 5 }, { ...more, credentials: { apiKey } });
		await wait(100);

		expect(loads).toEqual({ now: 0, most: 1, all: expected });
		expect(error === undefined).toBe(atFirst === undefined);
		if (atFirst === 'fail') expect(error?.description ?? '').toBe('');
	});
});

describe('the items of two users in one execution', () => {
	const perItem = { userId: '={{ $json.user }}' };
	const items = ['user-a', 'user-b'].map((user) => ({
		json: { user, id: user === 'user-a' ? 'anna@example.com' : 'Anna@example.com' },
	}));

	it('are compared with the contacts of their own user', async () => {
		service.get('/users/user-a/contacts').reply(200, [contact]);
		service.get('/users/user-b/contacts').reply(200, []);
		service.patch('/users/user-b/contacts/Anna%40example.com').reply(201, contact);

		await outputOf(upsert({}, { ...perItem, skipUnchanged: true }, { items }));
	});

	it('do not reuse the container of the other user', async () => {
		const container = { uuid: 'c-a', name: 'Invoice' };
		const other = { uuid: 'c-b', name: 'Invoice' };
		service.get('/users/user-a/containers').reply(200, [{ container }]);
		service.get('/containers/c-a/drm').reply(200, {});
		service.get('/users/user-b/containers').reply(200, []);
		service.post('/users/user-b/containers/encode').reply(200, { container: other });

		const output = await outputOf(
			encode({ name: 'Invoice' }, { ...perItem, ifExists: 'reuse' }, { items }),
		);

		expect(output.map((json) => json.container)).toEqual([container, other]);
	});
});

describe('two services', () => {
	it('have a user each, also for one API key', async () => {
		const credentials = newKey();
		for (const [mocked, user] of [
			[service, 'user-a'],
			[otherService, 'user-b'],
		] as const) {
			mocked.get('/me').reply(200, { id: user });
			mocked.get(`/users/${user}/contacts`).reply(200, []);
		}

		await outputOf(run('contact: getAll', {}, byUser, { credentials }));
		const other = { ...credentials, baseUrl: otherUrl };
		await outputOf(run('contact: getAll', {}, byUser, { credentials: other }));
	});

	it('do not wait for each other where a container of each has the same ID', async () => {
		let release: () => void = () => undefined;
		const released = new Promise<void>((resolve) => (release = resolve));
		const rules: IDataObject = { time: { end: '2020-01-01' } };
		service.get('/containers/c-1/drm').reply(async () => {
			await released;
			return [200, rules as object];
		});
		otherService.get('/containers/c-1/drm').reply(200, rules as object);

		const first = revoke();
		await outputOf(revoke({}, {}, { credentials: { baseUrl: otherUrl } }));
		release();
		await outputOf(first);
	}, 10_000);

	it('are not mixed up where both have a user with the same ID', async () => {
		service.get(listPath).reply(200, [{ ...contact, first_name: 'Old' }]);
		service.patch(pathOf(contact.email)).reply(204);
		// While this list is fetched, the contact of the first service changes.
		otherService.get(listPath).delay(100).reply(200, [contact]);

		await outputOf(
			upsert(
				{ email: contact.email },
				{ skipUnchanged: true, maxConcurrent: 5 },
				{
					items: ['share', 'other'].map((host) => ({ json: { host } })),
					credentials: { baseUrl: '=https://{{ $json.host }}.example.com/api/v1' },
				},
			),
		);

		expect(otherService.requests).toHaveLength(1);
	});
});

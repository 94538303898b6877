import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { LongPolls } from '../../src/api/longPolls.mts';
import type { EventWatch } from '../../src/database/eventWatch.mts';
import { createContainer, type Api, type ErrorBody, type ServiceEvent } from '../support/api.mts';
import {
	addUser,
	createKey,
	describeService,
	startService,
	times,
	type Service,
} from '../support/service.mts';

/** Ends the connections on which the processes hear of each other's events. */
async function cutListeners(connectionString: string): Promise<void> {
	const client = new Client({ connectionString });
	await client.connect();
	const cut =
		"select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen %' and datname = current_database()";
	expect((await client.query(cut)).rowCount).toBeGreaterThan(0);
	await client.end();
}

type Events = ServiceEvent[] & ErrorBody;

describeService('waiting for events', () => {
	let service: Service;
	let path: string;

	beforeAll(async () => {
		service = await startService();
		path = `/users/${service.userId}/events`;
	});

	const findNewest = async ({ api, userId }: Service = service) => {
		const { body } = await api.get<Events>(`/users/${userId}/events?order=desc&limit=1`);
		return body[0].id;
	};
	const waitFor = async (query: string, api: Api = service.api) => {
		const start = performance.now();
		const response = await api.get<Events>(`${path}?${query}`);
		return { ...response, ms: performance.now() - start };
	};
	/** So that it waits at the service. */
	const begin = async <T,>(waits: T[]) => {
		await sleep(500);
		return waits;
	};

	it('answers all that wait at once, when an event of the owner happens', async () => {
		const other = await addUser(service, 'other@example.com');
		const after = await findNewest();
		const since = new Date().toISOString();
		const waits = await begin([
			...times(20, async () => await waitFor(`after=${after}&wait=25`)),
			waitFor(`created_after=${since}&wait=25`),
		]);
		await createContainer({ api: other.api, userId: other.userId });
		const pending = await Promise.race([Promise.race(waits), sleep(300)]);
		expect(pending).toBeUndefined();
		const start = performance.now();
		const { uuid } = await createContainer(service);
		const responses = await Promise.all(waits);

		expect(performance.now() - start).toBeLessThan(15_000);
		for (const { status, body } of responses) {
			expect(status).toBe(200);
			expect(body).toMatchObject([{ action: 'container.create', container_id: uuid }]);
		}
	});

	it('answers at once where there is an event, a page after the other', async () => {
		const after = await findNewest();
		for (const name of ['One', 'Two']) await createContainer(service, { name });
		const first = await waitFor(`after=${after}&wait=60&limit=1`);
		expect(first.body).toMatchObject([{ container_name: 'One' }]);
		const next = service.api.nextPage(first)!;
		expect(new URL(next, 'https://localhost').searchParams.has('wait')).toBe(false);
		expect((await service.api.get<Events>(next)).body).toMatchObject([{ container_name: 'Two' }]);
		expect(first.ms).toBeLessThan(10_000);
	});

	it('misses no event, whenever it comes', async () => {
		const start = await findNewest();
		const seen: string[] = [];
		const follow = async () => {
			let after = start;
			while (seen.length < 40) {
				const { body } = await waitFor(`after=${after}&wait=25`);
				seen.push(...body.map(({ container_name: name }) => name ?? ''));
				after = body.at(-1)?.id ?? after;
			}
		};
		const names = times(40, (n) => `Number ${n}`);
		const create = async (name: string) => await createContainer(service, { name });
		await Promise.all([follow(), ...names.map(create)]);
		expect([...seen].sort()).toEqual([...names].sort());
	});

	it('is empty after the time, and then does not count as a request', async () => {
		const limited = await startService({ env: { REQUESTS_PER_MINUTE: '4' } });
		const own = `/users/${limited.userId}/events?after=${await findNewest(limited)}`;
		const statuses: number[] = [];
		for (const query of ['wait=1', 'wait=1', 'wait=1', 'wait=1', 'wait=0']) {
			const { status, body } = await limited.api.get(`${own}&${query}`);
			expect(body).toEqual([]);
			statuses.push(status);
		}
		expect(statuses).toEqual([200, 200, 200, 200, 200]);
		for (const expected of [200, 200, 429]) {
			expect((await limited.api.get(own)).status).toBe(expected);
		}
	});

	it('checks the key again before the response', async () => {
		const { id, api } = await createKey(service, 'owner@localhost');
		const after = await findNewest();
		const [wait] = await begin([waitFor(`after=${after}&wait=25`, api)]);
		await service.run(['keys', 'revoke', id]);
		await createContainer(service);
		expect((await wait).status).toBe(401);
	});

	it('tells of an event that another process wrote, also where nothing announces it', async () => {
		const shared = { env: { DATA_DIR: service.folder }, backend: service.backend };
		const second = (await startService(shared)).api.withKey(service.apiKey);
		for (const isAnnounced of [true, false]) {
			const after = await findNewest();
			const [wait] = await begin([waitFor(`after=${after}&wait=25`)]);
			if (!isAnnounced && service.backend) await cutListeners(service.backend.database);
			const { uuid } = await createContainer({ ...service, api: second });
			expect((await wait).body).toMatchObject([{ container_id: uuid }]);
			expect((await wait).ms).toBeLessThan(10_000);
		}
	});

	it('refuses to wait where it is not clear for what', async () => {
		const reasons: Array<[string, string]> = [
			['wait=25', 'needs after or created_after'],
			['wait=61&after=0', ''],
			['wait=-1&after=0', ''],
			['wait=1.5&after=0', ''],
			['wait=x&after=0', ''],
			['wait=25&after=0&order=desc', "can't be combined with order=desc"],
			['wait=25&after=0&cursor=1', "can't be combined with cursor"],
		];
		for (const [query, reason] of reasons) {
			const { status, body } = await waitFor(query);
			const wait = expect.stringContaining(reason) as unknown;
			expect({ query, status, fields: body.fields }).toEqual({
				...{ query, status: 422, fields: { wait } },
			});
		}
	});

	it('is answered at once when the service stops', async () => {
		const stopping = await startService();
		const own = `/users/${stopping.userId}/events?after=${await findNewest(stopping)}&wait=60`;
		const [wait] = await begin([stopping.api.get<Events>(own)]);
		const start = performance.now();
		const stopped = stopping.stop();
		expect((await wait).body).toEqual([]);
		expect(await stopped).toBe(0);
		expect(performance.now() - start).toBeLessThan(30_000);
	});
});

const createResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

const watch = { subscribe: () => () => undefined } as unknown as EventWatch;

/** A poll for what never happens. */
const forNothing = {
	ownerId: 'user-1',
	subject: 'all',
	read: async () => [],
	check: async () => undefined,
};

it('the key is checked again before a wait ends empty', async () => {
	const longPolls = new LongPolls(watch);
	const check = async () => await Promise.reject(new Error('revoked'));
	const poll = { ...forNothing, check };
	const wait = longPolls.wait(poll, { keyId: 'one', milliseconds: 1, response: createResponse() });
	await expect(wait).rejects.toThrow('revoked');
});

it('long polls that end empty end together, at the next whole second', async () => {
	const longPolls = new LongPolls(watch);
	let ended = 0;
	const wait = async (milliseconds: number) => {
		await longPolls.wait(forNothing, { keyId: 'one', milliseconds, response: createResponse() });
		ended += 1;
	};
	jest.useFakeTimers({ now: 0, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
	const both = Promise.all([wait(100), wait(500)]);
	await jest.advanceTimersByTimeAsync(999);
	expect(ended).toBe(0);
	await jest.advanceTimersByTimeAsync(1);
	await both;
	jest.useRealTimers();
	expect(ended).toBe(2);
});

it('who waits hears of events also after another one for the same has gone, and nobody listens after the last', async () => {
	const listeners = new Set<() => void>();
	const subscribe = (_ownerId: string, listener: () => void) => {
		listeners.add(listener);
		return () => listeners.delete(listener);
	};
	const longPolls = new LongPolls({ subscribe } as unknown as EventWatch);
	const found: ServiceEvent[] = [];
	const poll = { ...forNothing, read: async () => found as never[] };
	const wait = async (milliseconds: number) =>
		await longPolls.wait(poll, { keyId: 'one', milliseconds, response: createResponse() });
	const long = wait(30_000);
	expect(await wait(1)).toEqual([]);
	expect([longPolls.size, listeners.size]).toEqual([1, 1]);
	found.push({ id: '1' } as ServiceEvent);
	for (const listener of listeners) listener();
	expect(await long).toEqual(found);
	expect([longPolls.size, listeners.size]).toEqual([0, 0]);
});

it('at most 1,000 requests with a key wait at a time', async () => {
	const longPolls = new LongPolls(watch);
	const wait = async (keyId: string) =>
		await longPolls.wait(forNothing, { keyId, milliseconds: 30_000, response: createResponse() });
	const waiting = times(1000, async () => await wait('one'));
	await expect(wait('one')).rejects.toMatchObject({ statusCode: 429, details: { retryAfter: 25 } });
	const other = wait('other');
	longPolls.end();
	expect(await Promise.all([...waiting, other])).toEqual(times(1001, () => []));
	expect(await wait('one')).toEqual([]);
});

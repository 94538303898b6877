import { writeSync } from 'node:fs';
import type { RateLimit } from '../../sandbox/index.cts';
import {
	contactItems,
	startTrustedSandbox,
	UPSERT,
	type TrustedSandbox,
} from './support/service.cts';

const TIMEOUT = 600_000;

let service: TrustedSandbox;

beforeAll(async () => {
	service = await startTrustedSandbox();
}, TIMEOUT);

afterEach(() => service.sandbox.reset());

afterAll(async () => await service.stop());

const statusesOf = (status: number) =>
	service.sandbox.requests.filter((request) => request.status === status);

const synced = () => service.sandbox.state.contactsOf(service.sandbox.user.id).size;

describe('a sync of three times as many contacts as the rate limit allows', () => {
	/** Set LIMIT_IN_WINDOW=100 LIMIT_WINDOW_MS=60000 for the service's own limit. */
	const REQUESTS_PER_WINDOW = Number(process.env.LIMIT_IN_WINDOW ?? 40);
	const WINDOW = Number(process.env.LIMIT_WINDOW_MS ?? 5000);
	const COUNT = 3 * REQUESTS_PER_WINDOW;
	// A fixed window rejects requests once. A token bucket rejects all requests in flight once a second.
	const cases: Array<{ name: string; limit: Omit<RateLimit, 'perMinute'>; rejected: number }> = [
		{
			name: 'fixed window, Retry-After in seconds',
			limit: { algorithm: 'window', retryAfter: 'seconds' },
			rejected: 15,
		},
		{
			name: 'fixed window, Retry-After a date',
			limit: { algorithm: 'window', retryAfter: 'date' },
			rejected: 15,
		},
		{
			name: 'fixed window, no Retry-After',
			limit: { algorithm: 'window', retryAfter: 'none' },
			rejected: 20,
		},
		{
			name: 'token bucket, Retry-After in seconds',
			limit: { algorithm: 'bucket', retryAfter: 'seconds' },
			rejected: 60,
		},
		{
			name: 'token bucket, Retry-After a date',
			limit: { algorithm: 'bucket', retryAfter: 'date' },
			rejected: 60,
		},
		{
			name: 'token bucket, no Retry-After',
			limit: { algorithm: 'bucket', retryAfter: 'none' },
			rejected: 60,
		},
	];

	it.each(cases)(
		'completes with few rejected requests: $name',
		async ({ name, limit, rejected }) => {
			service.sandbox.settings.rateLimit = {
				perMinute: REQUESTS_PER_WINDOW,
				windowMs: WINDOW,
				...limit,
			};
			const start = Date.now();

			const { items, error } = await service.run(UPSERT, { items: contactItems(COUNT) });

			const took = Date.now() - start;
			const rejections = statusesOf(429).length;
			writeSync(
				1,
				`  ${name}: ${rejections} rejected, ${took} ms, ${(took / (2 * WINDOW)).toFixed(2)} of the limit's own time\n`,
			);
			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json.number)).toEqual(
				contactItems(COUNT).map(({ json }) => json.number),
			);
			expect(synced()).toBe(COUNT);
			expect(statusesOf(200)).toHaveLength(COUNT);
			expect(rejections).toBeLessThanOrEqual(rejected);
		},
		TIMEOUT,
	);
});

describe('a limit that lasts longer than the retries of one request', () => {
	it(
		'fails no item while other requests have retries left',
		async () => {
			service.sandbox.settings.rateLimit = {
				perMinute: 10,
				windowMs: 9000,
				algorithm: 'window',
				retryAfter: 'none',
			};

			const { items, error } = await service.run(UPSERT, {
				items: contactItems(15),
				options: { maxRetries: 2 },
			});

			expect(error).toBeUndefined();
			expect(items).toHaveLength(15);
			expect(synced()).toBe(15);
		},
		TIMEOUT,
	);
});

describe('while the service limits requests', () => {
	it(
		'no other request is sent, and then one is sent first',
		async () => {
			service.sandbox.faults.add({
				kind: 'status',
				status: 429,
				headers: { 'retry-after': '2' },
				nth: 20,
				times: 1,
			});
			service.sandbox.settings.latency = 30;

			const { items } = await service.run(UPSERT, {
				items: contactItems(60),
				options: { maxConcurrent: 10 },
			});

			expect(items).toHaveLength(60);
			const rejected = service.sandbox.requests.find(({ status }) => status === 429);
			const rejectedAt = rejected?.endedAt ?? 0;
			const later = service.sandbox.requests.filter(({ at }) => at > rejectedAt);
			// Requests in flight can still arrive.
			const [first, second] = later.filter(({ at }) => at >= rejectedAt + 1950);
			expect(later.indexOf(first)).toBeLessThan(10);
			expect(first.path).toBe(rejected?.path);
			expect(second.at).toBeGreaterThanOrEqual(first.endedAt ?? 0);
		},
		TIMEOUT,
	);

	it(
		'an outage with Retry-After pauses the execution like a limit',
		async () => {
			service.sandbox.faults.add({
				kind: 'status',
				status: 503,
				headers: { 'retry-after': '1' },
				times: 1,
			});

			const { items } = await service.run(UPSERT, {
				items: contactItems(5),
				options: { maxConcurrent: 1 },
			});

			expect(items).toHaveLength(5);
			const [first, second] = service.sandbox.requests;
			expect(second.path).toBe(first.path);
			expect(second.at - first.at).toBeGreaterThanOrEqual(995);
			expect(service.sandbox.requests).toHaveLength(6);
		},
		TIMEOUT,
	);

	it.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'a cancel stops the execution immediately (%s)',
		async (onError) => {
			service.sandbox.faults.add({
				kind: 'status',
				status: 429,
				headers: { 'retry-after': '600' },
				times: Number.POSITIVE_INFINITY,
			});
			const start = Date.now();

			const { status } = await service.run(UPSERT, {
				items: contactItems(200),
				onError,
				cancelAfterMs: 1500,
			});

			expect(status).toBe('canceled');
			expect(Date.now() - start).toBeLessThan(60_000);
			const sent = service.sandbox.requests.length;
			expect(sent).toBeLessThanOrEqual(5);
			await new Promise((resolve) => setTimeout(resolve, 500));
			expect(service.sandbox.requests).toHaveLength(sent);
		},
		TIMEOUT,
	);

	it(
		'an item that fails permanently ends the wait of the others',
		async () => {
			service.sandbox.settings.latency = ({ path }) => (path.includes('person1%40') ? 700 : 0);
			service.sandbox.faults.add({ kind: 'status', status: 400, path: /person1%40/ });
			service.sandbox.faults.add({
				kind: 'status',
				status: 503,
				path: /person0%40/,
				headers: { 'retry-after': '600' },
			});
			const start = Date.now();

			const { error } = await service.run(UPSERT, { items: contactItems(20) });

			expect(error?.message).toMatch(/did not accept/);
			expect(Date.now() - start).toBeLessThan(20_000);
		},
		TIMEOUT,
	);
});

describe('requests in flight', () => {
	it(
		'never exceed the limit, and are sent in the order of the items',
		async () => {
			service.sandbox.settings.latency = 100;

			const { items } = await service.run(UPSERT, {
				items: contactItems(60),
				options: { maxConcurrent: 3 },
			});

			expect(service.sandbox.counts.peakInFlight).toBeLessThanOrEqual(3);
			const numbers = service.sandbox.requests.map(
				({ body }) => (body as { number: number }).number,
			);
			// Three requests at a time can overtake each other, but by no more than two places.
			numbers.forEach((number, place) => expect(Math.abs(number - place)).toBeLessThan(3));
			expect(items.map(({ json }) => json.number)).toEqual([...numbers].sort((a, b) => a - b));
		},
		TIMEOUT,
	);

	it(
		'are sent one after the other in the order of the items with a limit of one',
		async () => {
			await service.run(UPSERT, { items: contactItems(30), options: { maxConcurrent: 1 } });

			const numbers = service.sandbox.requests.map(
				({ body }) => (body as { number: number }).number,
			);
			expect(numbers).toEqual(contactItems(30).map(({ json }) => json.number));
			expect(service.sandbox.counts.peakInFlight).toBe(1);
		},
		TIMEOUT,
	);
});

describe('the number of attempts', () => {
	it.each([0, 1, 2])(
		'is limited by Max Retries %i',
		async (maxRetries) => {
			service.sandbox.faults.add({
				kind: 'status',
				status: 429,
				headers: { 'retry-after': '0' },
				times: Number.POSITIVE_INFINITY,
			});

			const { items } = await service.run(UPSERT, {
				items: contactItems(2),
				onError: 'continueRegularOutput',
				options: { maxRetries },
			});

			expect(service.sandbox.requests).toHaveLength(2 * (maxRetries + 1));
			for (const { json } of items) expect(json.error).toMatch(/received too many requests/);
		},
		TIMEOUT,
	);
});

import { writeSync } from 'node:fs';
import type { RateLimit } from '../../sandbox/index.cts';
import { contactItems, startTrusted, UPSERT, type TrustedSandbox } from './support/service.cts';

const PATIENCE = 600_000;

let service: TrustedSandbox;

beforeAll(async () => {
	service = await startTrusted();
});

afterEach(() => service.sandbox.reset());

afterAll(async () => await service.stop());

const statusesOf = (status: number) =>
	service.sandbox.requests.filter((request) => request.status === status);

const synced = () => service.sandbox.state.contactsOf(service.sandbox.user.id).size;

describe('a sync of three times as many contacts as the service takes in a window', () => {
	/** LIMIT_IN_WINDOW=100 LIMIT_WINDOW_MS=60000 for the service's own limit. */
	const IN_WINDOW = Number(process.env.LIMIT_IN_WINDOW ?? 40);
	const WINDOW = Number(process.env.LIMIT_WINDOW_MS ?? 5000);
	const COUNT = 3 * IN_WINDOW;
	// A window is met once; a bucket that fills up evenly is met once a second, by all that are in flight then.
	const cases: Array<{ name: string; limit: Omit<RateLimit, 'perMinute'>; refused: number }> = [
		{
			name: 'fixed window, Retry-After in seconds',
			limit: { algorithm: 'window', retryAfter: 'seconds' },
			refused: 15,
		},
		{
			name: 'fixed window, Retry-After a date',
			limit: { algorithm: 'window', retryAfter: 'date' },
			refused: 15,
		},
		{
			name: 'fixed window, no Retry-After',
			limit: { algorithm: 'window', retryAfter: 'none' },
			refused: 20,
		},
		{
			name: 'token bucket, Retry-After in seconds',
			limit: { algorithm: 'bucket', retryAfter: 'seconds' },
			refused: 60,
		},
		{
			name: 'token bucket, Retry-After a date',
			limit: { algorithm: 'bucket', retryAfter: 'date' },
			refused: 60,
		},
		{
			name: 'token bucket, no Retry-After',
			limit: { algorithm: 'bucket', retryAfter: 'none' },
			refused: 60,
		},
	];

	it.each(cases)(
		'ends with all of them, and few refused: $name',
		async ({ name, limit, refused }) => {
			service.sandbox.settings.rateLimit = { perMinute: IN_WINDOW, windowMs: WINDOW, ...limit };
			const start = Date.now();

			const { items, error } = await service.run(UPSERT, { items: contactItems(COUNT) });

			const took = Date.now() - start;
			const refusals = statusesOf(429).length;
			writeSync(
				1,
				`  ${name}: ${refusals} refused, ${took} ms, ${(took / (2 * WINDOW)).toFixed(2)} of the limit's own time\n`,
			);
			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json.number)).toEqual(
				contactItems(COUNT).map(({ json }) => json.number),
			);
			expect(synced()).toBe(COUNT);
			expect(statusesOf(200)).toHaveLength(COUNT);
			expect(refusals).toBeLessThanOrEqual(refused);
		},
		PATIENCE,
	);
});

describe('a limit whose window outlasts the tries of one request', () => {
	it(
		'costs no item while others have tries left',
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
		PATIENCE,
	);
});

describe('while the service asks to wait', () => {
	it(
		'no other request of the run goes out, and after it one goes first',
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
			const refused = service.sandbox.requests.find(({ status }) => status === 429);
			const toldAt = refused?.endedAt ?? 0;
			const later = service.sandbox.requests.filter(({ at }) => at > toldAt);
			// What had left already may still arrive.
			const [first, second] = later.filter(({ at }) => at >= toldAt + 1950);
			expect(later.indexOf(first)).toBeLessThan(10);
			expect(first.path).toBe(refused?.path);
			expect(second.at).toBeGreaterThanOrEqual(first.endedAt ?? 0);
		},
		PATIENCE,
	);

	it(
		'an outage with Retry-After holds the run as a limit does',
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
		PATIENCE,
	);

	it.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'a cancel ends it at once (%s)',
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
		PATIENCE,
	);

	it(
		'an item that fails for good ends the wait of the others',
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
		PATIENCE,
	);
});

describe('requests in flight', () => {
	it(
		'are as many as allowed at the most, and go out in the order of the items',
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
			// Three at a time may overtake each other on their way, but no more than that.
			numbers.forEach((number, place) => expect(Math.abs(number - place)).toBeLessThan(3));
			expect(items.map(({ json }) => json.number)).toEqual([...numbers].sort((a, b) => a - b));
		},
		PATIENCE,
	);

	it(
		'go out one after the other in the order of the items with a limit of one',
		async () => {
			await service.run(UPSERT, { items: contactItems(30), options: { maxConcurrent: 1 } });

			const numbers = service.sandbox.requests.map(
				({ body }) => (body as { number: number }).number,
			);
			expect(numbers).toEqual(contactItems(30).map(({ json }) => json.number));
			expect(service.sandbox.counts.peakInFlight).toBe(1);
		},
		PATIENCE,
	);
});

describe('the number of tries', () => {
	it.each([0, 1, 2])(
		'is bounded by Max Retries %i',
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
		PATIENCE,
	);
});

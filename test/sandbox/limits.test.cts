import { filePart, NAMED } from './support/api.cts';
import { RateLimiter } from '../../sandbox/service/rateLimiter.cts';
import { useSandbox } from './support/sandbox.cts';

const OTHER = { apiKey: 'key-of-another' };
const running = useSandbox({ users: [{}, OTHER] });

describe('the rate limit', () => {
	const statuses = async (count: number, apiKey?: string) => {
		const replies = await Promise.all(
			Array.from({ length: count }, () => running.api.call('GET', '/me', { apiKey })),
		);
		return replies.map(({ status }) => status).sort();
	};

	it('refuses further requests of a key with 429, JSON and the seconds to wait', async () => {
		const { api, sandbox } = running;
		sandbox.settings.rateLimit = { perMinute: 3 };
		expect(await statuses(5)).toEqual([200, 200, 200, 429, 429]);
		const reply = await api.call('GET', '/me');
		expect(reply.json).toEqual({ code: 'rate_limited', message: expect.any(String) });
		expect(Number(reply.headers['retry-after'])).toBeGreaterThan(50);
		expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(60);
		expect(await statuses(3, OTHER.apiKey)).toEqual([200, 200, 200]);
		expect(sandbox.counts.statuses).toEqual({ 200: 6, 429: 3 });
	});

	it('does not count requests without a valid key', async () => {
		const { sandbox } = running;
		sandbox.settings.rateLimit = { perMinute: 2 };
		expect(await statuses(4, 'wrong')).toEqual([401, 401, 401, 401]);
		expect(await statuses(2)).toEqual([200, 200]);
	});

	it('tells when to retry as a date, or not at all', async () => {
		const { api, sandbox } = running;
		sandbox.settings.rateLimit = { perMinute: 0, retryAfter: 'date' };
		const date = Date.parse(String((await api.call('GET', '/me')).headers['retry-after']));
		expect(date - Date.now()).toBeGreaterThan(50_000);
		expect(date - Date.now()).toBeLessThanOrEqual(61_000);
		sandbox.settings.rateLimit = { perMinute: 0, retryAfter: 'none' };
		const reply = await api.call('GET', '/me');
		expect([reply.status, reply.headers['retry-after']]).toEqual([429, undefined]);
	});

	it('with a fixed window, allows all requests again when the window ends', () => {
		const served = servedBy({ perMinute: 3 });
		expect([0, 1, 2, 3, 59_999].map(served)).toEqual([true, true, true, false, false]);
		expect([60_000, 60_001, 60_002, 60_003].map(served)).toEqual([true, true, true, false]);
	});

	it('with a bucket, allows one request after the other', () => {
		const served = servedBy({ perMinute: 3, algorithm: 'bucket' });
		expect([0, 0, 0, 0, 19_999].map(served)).toEqual([true, true, true, false, false]);
		expect([20_000, 20_001, 40_001].map(served)).toEqual([true, false, true]);
		expect([500_000, 500_000, 500_000, 500_000].map(served)).toEqual([true, true, true, false]);
	});

	function servedBy(limit: { perMinute: number; algorithm?: 'bucket' }) {
		const limiter = new RateLimiter();
		return (now: number) => {
			try {
				limiter.take('key', limit, now);
				return true;
			} catch {
				return false;
			}
		};
	}
});

describe('a body that is too large', () => {
	it('is refused with 413 before it is read, and the connection closes', async () => {
		const { api, sandbox } = running;
		sandbox.settings.maxBodyBytes = 1000;
		const reply = await api.encode([NAMED, filePart('x'.repeat(1000))]);
		expect([reply.status, reply.headers.connection]).toEqual([413, 'close']);
		expect(sandbox.requests[0]).toMatchObject({ status: 413, bytes: 0, aborted: false });
		expect((await api.encode([NAMED, filePart('x')])).status).toBe(200);
	});

	it('is detected while it arrives when its length is not announced', async () => {
		const { api, sandbox } = running;
		sandbox.settings.maxBodyBytes = 100;
		async function* endless() {
			for (;;) {
				await new Promise((resolve) => setTimeout(resolve, 5));
				yield Buffer.alloc(60);
			}
		}
		const outcome = await api.agent
			.request({
				origin: sandbox.origin,
				path: `/api/v1${api.mine('/containers/encode')}`,
				method: 'POST',
				headers: {
					authorization: `Bearer ${sandbox.apiKey}`,
					'content-type': 'multipart/form-data; boundary=b',
				},
				body: endless() as never,
			})
			.then(({ statusCode, body }) => body.dump().then(() => statusCode))
			.catch((error: Error & { code?: string }) => error.code);
		expect([413, 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']).toContain(outcome);
		expect(sandbox.requests[0]).toMatchObject({ status: 413, bytes: 120 });
		expect(sandbox.requests[0].headers['transfer-encoding']).toBe('chunked');
		expect(sandbox.state.containers.size).toBe(0);
	});
});

describe('latency', () => {
	it('is a number or a function of the request', async () => {
		const { api, sandbox } = running;
		const delayed: Array<string | undefined> = [];
		sandbox.settings.latency = ({ operationId }) => {
			delayed.push(operationId);
			return 30;
		};
		await api.call('GET', '/me');
		await api.call('GET', api.mine('/contacts'));
		sandbox.settings.latency = 30;
		await api.call('GET', '/me');
		expect(delayed).toEqual(['getMe', 'listContacts']);
		for (const { at, endedAt = 0 } of sandbox.requests)
			expect(endedAt - at).toBeGreaterThanOrEqual(29);
	});

	it('lets requests overlap, as the counts show', async () => {
		const { api, sandbox } = running;
		sandbox.settings.latency = 50;
		await Promise.all(Array.from({ length: 7 }, () => api.call('GET', '/me')));
		expect(sandbox.counts).toMatchObject({ total: 7, peakInFlight: 7, operations: { getMe: 7 } });
	});
});

it('with counts only, no request is kept', async () => {
	const { api, sandbox } = running;
	sandbox.settings.record = 'counts';
	await Promise.all(Array.from({ length: 20 }, () => api.call('GET', '/me')));
	await api.call('GET', '/containers/unknown');
	expect(sandbox.requests).toEqual([]);
	expect(sandbox.counts).toMatchObject({
		total: 21,
		operations: { getMe: 20, getContainer: 1 },
		statuses: { 200: 20, 404: 1 },
		inFlight: 0,
	});
});

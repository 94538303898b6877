import type { NetworkErrorReason, RequestFailure } from '../../../../nodes/shared/errors/failure';
import { getRetryDecision, parseRetryAfter } from '../../../../nodes/shared/client/retry';

const now = Date.parse('2026-11-21T10:00:00Z');
const failed = (status: number, retryAfter?: string): RequestFailure => ({
	kind: 'status',
	status,
	retryAfter,
});
const networkError = (reason: NetworkErrorReason): RequestFailure => ({
	kind: 'network',
	reason,
	code: 'E_CODE',
});
const decide = (
	failure: RequestFailure,
	more: Partial<Parameters<typeof getRetryDecision>[1]> = {},
) =>
	getRetryDecision(failure, {
		attemptCount: 0,
		maxRetries: 5,
		idempotent: true,
		random: 0,
		now,
		...more,
	});

const refusals = [400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 451];

describe('an idempotent request', () => {
	it.each([...refusals, 301, 302, 307, 308, 408, 500, 501, 505])(
		'is not retried after status %i',
		(status) => {
			expect(decide(failed(status))).toEqual({ retry: false });
		},
	);

	it.each([502, 504])('is retried, without pausing others, after status %i', (status) => {
		expect(decide(failed(status))).toEqual({ retry: true, delay: 1000, pauseAll: false });
	});

	it.each<NetworkErrorReason>([
		...(['refused', 'nameNotFound', 'handshake', 'reset', 'timeout'] as const),
	])('is retried, without pausing others, after a network error: %s', (reason) => {
		expect(decide(networkError(reason))).toEqual({
			retry: true,
			delay: 1000,
			pauseAll: false,
		});
	});

	it.each<NetworkErrorReason>(['certificate', 'cancelled', 'notHttps', 'other'])(
		'is not retried after a network error: %s',
		(reason) => {
			expect(decide(networkError(reason))).toEqual({ retry: false });
		},
	);
});

describe('a request that creates something', () => {
	const creates = { idempotent: false };

	it('is retried after status 429, which means that it was not processed', () => {
		expect(decide(failed(429), creates)).toMatchObject({ retry: true });
	});

	it.each<NetworkErrorReason>(['refused', 'nameNotFound', 'handshake', 'proxy'])(
		'is retried when it cannot have arrived: %s',
		(reason) => {
			expect(decide(networkError(reason), creates)).toMatchObject({ retry: true });
		},
	);

	it.each([500, 502, 503, 504, ...refusals])('is never retried after status %i', (status) => {
		expect(decide(failed(status), creates)).toEqual({ retry: false });
	});

	it.each<NetworkErrorReason>([
		'reset',
		'timeout',
		'certificate',
		'cancelled',
		'other',
		'notHttps',
	])('is never retried after a network error: %s', (reason) => {
		expect(decide(networkError(reason), creates)).toEqual({ retry: false });
	});
});

it('a response that was cut off is asked for again, unless the request creates something', () => {
	expect(decide({ kind: 'lostBody' })).toMatchObject({ retry: true });
	expect(decide({ kind: 'lostBody' }, { idempotent: false })).toEqual({ retry: false });
});

describe('the delay', () => {
	it.each([
		[0, 1000],
		[1, 2000],
		[2, 4000],
		[5, 32_000],
		[6, 60_000],
		[50, 60_000],
	])('doubles after attempt %i up to a minute: %i ms', (attemptCount, delay) => {
		expect(decide(failed(502), { attemptCount, maxRetries: 100 })).toMatchObject({ delay });
	});

	it('has jitter of up to half of it', () => {
		expect(decide(failed(502), { random: 0.999 })).toMatchObject({ delay: 1499.5 });
	});

	it.each([
		[429, '7', 7000],
		[503, '7', 7000],
		[429, 'Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
		[503, 'Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
		[429, '0', 0],
		[429, 'Sat, 21 Nov 2026 09:00:00 GMT', 0],
	])(
		'after %i with Retry-After %s is what the service requests, for all requests',
		(status, header, ms) => {
			expect(decide(failed(status, header))).toEqual({
				retry: true,
				delay: ms,
				pauseAll: true,
			});
		},
	);

	it.each<[number, number]>([
		[0.9, 2000],
		[1, 1000],
		[7, 7000],
	])('of a repeated request for %d seconds is %i ms', (seconds, delay) => {
		expect(decide(failed(429, String(seconds)), { attemptCount: 1 })).toMatchObject({ delay });
	});

	it('is the back-off where a rejection names none, also after the first', () => {
		expect(decide(failed(429), { attemptCount: 1 })).toMatchObject({ delay: 2000 });
	});

	it('backs off when the service repeatedly requests no delay', () => {
		expect(decide(failed(429, '0'), { attemptCount: 3 })).toMatchObject({ delay: 8000 });
	});

	it.each([
		[429, undefined, true],
		[429, 'soon', true],
		[503, undefined, false],
		[502, '7', false],
	])('after %i with Retry-After %s backs off, for all requests: %s', (status, header, pauseAll) => {
		expect(decide(failed(status, header))).toEqual({ retry: true, delay: 1000, pauseAll });
	});

	it('is at most an hour, beyond which the request fails', () => {
		expect(decide(failed(429, '3600'))).toMatchObject({ delay: 3_600_000 });
		expect(decide(failed(429, '3601'))).toEqual({ retry: false, blockedFor: 3_601_000 });
		expect(decide(failed(503, '3601'))).toEqual({ retry: false });
		expect(decide(failed(503, '1e9'))).not.toMatchObject({ delay: 1e12 });
	});
});

it.each<RequestFailure>([
	{ kind: 'html' },
	{ kind: 'invalidJson', reason: 'it ends' },
	{ kind: 'tooLarge', maxBytes: 1 },
	{ kind: 'unexpected', expected: 'a list', received: 'text' },
])('a response that is not understood is not asked for again: $kind', (failure) => {
	expect(decide(failure)).toEqual({ retry: false });
});

describe('the number of retries', () => {
	it.each([0, 1, 5])('is at most %i for every reason', (maxRetries) => {
		for (const failure of [failed(429, '1'), failed(503), networkError('refused')]) {
			expect(decide(failure, { attemptCount: maxRetries, maxRetries })).toEqual({ retry: false });
			if (maxRetries > 0) {
				expect(decide(failure, { attemptCount: maxRetries - 1, maxRetries })).not.toEqual({
					retry: false,
				});
			}
		}
	});
});

describe('Retry-After', () => {
	it.each([
		['120', 120_000],
		[' 1 ', 1000],
		['0.5', 500],
		['0.25', 250],
		['Sat, 21 Nov 2026 10:02:00 GMT', 120_000],
		['Saturday, 21-Nov-26 10:02:00 GMT', 120_000],
		['Sat Nov 21 10:02:00 2026 GMT', 120_000],
		['2026-11-21T10:02:00Z', 120_000],
		['Sat, 21 Nov 2026 09:00:00 GMT', 0],
	])('%j is a delay of %i ms', (header, milliseconds) => {
		expect(parseRetryAfter(header, now)).toBe(milliseconds);
	});

	it.each([undefined, '', ' ', 'soon', '-5', '12 s', '1e3', '2026-11-21'])(
		'%j is no delay',
		(header) => {
			expect(parseRetryAfter(header, now)).toBeUndefined();
		},
	);
});

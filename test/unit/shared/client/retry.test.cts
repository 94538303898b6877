import type { NetworkErrorReason, Outcome } from '../../../../nodes/shared/client/retry';
import {
	getRetryDecision,
	isUnclear,
	parseRetryAfter,
} from '../../../../nodes/shared/client/retry';

const now = Date.parse('2026-11-21T10:00:00Z');
const answer = (status: number, retryAfter?: string): Outcome => ({
	kind: 'answer',
	status,
	retryAfter,
});
const noAnswer = (reason: NetworkErrorReason): Outcome => ({ kind: 'noAnswer', reason });
const next = (outcome: Outcome, more: Partial<Parameters<typeof getRetryDecision>[1]> = {}) =>
	getRetryDecision(outcome, { tried: 0, maxRetries: 5, repeatable: true, random: 0, now, ...more });

const refusals = [400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 451];

describe('an idempotent request', () => {
	it.each([...refusals, 301, 302, 307, 308, 408, 500, 501, 505])(
		'is not retried after status %i',
		(status) => {
			expect(next(answer(status))).toEqual({ next: 'stop' });
		},
	);

	it.each([502, 504])('is retried, without pausing others, after status %i', (status) => {
		expect(next(answer(status))).toEqual({ next: 'wait', milliseconds: 1000, together: false });
	});

	it.each<NetworkErrorReason>(['refused', 'nameNotFound', 'reset', 'timeout'])(
		'is retried, without pausing others, after a network error: %s',
		(reason) => {
			expect(next(noAnswer(reason))).toEqual({
				next: 'wait',
				milliseconds: 1000,
				together: false,
			});
		},
	);

	it.each<NetworkErrorReason>(['certificate', 'cancelled', 'notHttps', 'other'])(
		'is not retried after a network error: %s',
		(reason) => {
			expect(next(noAnswer(reason))).toEqual({ next: 'stop' });
		},
	);
});

describe('a request that creates something', () => {
	const creates = { repeatable: false };

	it.each([429, 503])(
		'is retried after status %i, which means that it was not processed',
		(status) => {
			expect(next(answer(status), creates)).toMatchObject({ next: 'wait' });
		},
	);

	it.each<NetworkErrorReason>(['refused', 'nameNotFound'])(
		'is retried when it cannot have arrived: %s',
		(reason) => {
			expect(next(noAnswer(reason), creates)).toMatchObject({ next: 'wait' });
		},
	);

	it.each([500, 502, 504, ...refusals])('is never retried after status %i', (status) => {
		expect(next(answer(status), creates)).toEqual({ next: 'stop' });
	});

	it.each<NetworkErrorReason>([
		'reset',
		'timeout',
		'certificate',
		'cancelled',
		'other',
		'notHttps',
	])('is never retried after a network error: %s', (reason) => {
		expect(next(noAnswer(reason), creates)).toEqual({ next: 'stop' });
	});
});

describe('the delay', () => {
	it.each([
		[0, 1000],
		[1, 2000],
		[2, 4000],
		[5, 32_000],
		[6, 60_000],
		[50, 60_000],
	])('doubles after attempt %i up to a minute: %i ms', (tried, milliseconds) => {
		expect(next(answer(502), { tried, maxRetries: 100 })).toMatchObject({ milliseconds });
	});

	it('has jitter of up to half of it', () => {
		expect(next(answer(502), { random: 0.999 })).toMatchObject({ milliseconds: 1499.5 });
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
			expect(next(answer(status, header))).toEqual({
				next: 'wait',
				milliseconds: ms,
				together: true,
			});
		},
	);

	it('backs off when the service repeatedly requests no delay', () => {
		expect(next(answer(429, '0'), { tried: 3 })).toMatchObject({ milliseconds: 8000 });
	});

	it.each([
		[429, undefined, true],
		[429, 'soon', true],
		[503, undefined, false],
		[502, '7', false],
	])('after %i with Retry-After %s backs off, for all requests: %s', (status, header, together) => {
		expect(next(answer(status, header))).toEqual({ next: 'wait', milliseconds: 1000, together });
	});

	it('is at most an hour, beyond which the request fails', () => {
		expect(next(answer(429, '3600'))).toMatchObject({ milliseconds: 3_600_000 });
		expect(next(answer(429, '3601'))).toEqual({ next: 'stop' });
		expect(next(answer(503, '1e9'))).not.toMatchObject({ milliseconds: 1e12 });
	});
});

describe('the number of retries', () => {
	it.each([0, 1, 5])('is at most %i for every reason', (maxRetries) => {
		for (const outcome of [answer(429, '1'), answer(503), noAnswer('refused')]) {
			expect(next(outcome, { tried: maxRetries, maxRetries })).toEqual({ next: 'stop' });
			if (maxRetries > 0) {
				expect(next(outcome, { tried: maxRetries - 1, maxRetries })).not.toEqual({ next: 'stop' });
			}
		}
	});
});

describe('an outcome', () => {
	it.each<Outcome>([
		answer(502),
		answer(504),
		noAnswer('reset'),
		noAnswer('timeout'),
		noAnswer('other'),
	])('is unknown: %j', (outcome) => expect(isUnclear(outcome)).toBe(true));

	it.each<Outcome>([
		answer(200),
		answer(400),
		answer(404),
		answer(429),
		answer(503),
		noAnswer('refused'),
		noAnswer('nameNotFound'),
		noAnswer('certificate'),
	])('is known: %j', (outcome) => expect(isUnclear(outcome)).toBe(false));
});

describe('Retry-After', () => {
	it.each([
		['120', 120_000],
		[' 1 ', 1000],
		['0.5', 500],
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

import type { NetworkErrorReason, RequestFailure } from '../../../../nodes/shared/errors/failure';
import { getRetryDecision, parseRetryAfter } from '../../../../nodes/shared/client/retry';

const now = Date.parse('2026-11-21T10:00:00Z');
const failed = (status: number, retryAfter?: string): RequestFailure => ({
	kind: 'status',
	status,
	retryAfter,
});
const network = (reason: NetworkErrorReason): RequestFailure => ({
	kind: 'network',
	reason,
	code: 'E_CODE',
});
const decide = (
	failure: RequestFailure,
	more: Partial<Parameters<typeof getRetryDecision>[1]> = {},
) =>
	getRetryDecision(failure, {
		attempts: 1,
		maxRetries: 5,
		idempotent: true,
		random: 0,
		now,
		...more,
	});
const NEVER = undefined;

describe('a request is sent again', () => {
	const SOON = { delay: 1000, pauseAll: false };
	const ALL = { pauseAll: true };

	it.each<[RequestFailure, object, object | undefined]>([
		[failed(429), { ...ALL, delay: 2000 }, { ...ALL, delay: 2000 }],
		[failed(408), SOON, NEVER],
		[failed(502), SOON, NEVER],
		[failed(503), SOON, NEVER],
		[failed(504), SOON, NEVER],
		// Of a content delivery network.
		[failed(522), SOON, NEVER],
		[network('refused'), SOON, SOON],
		[network('nameNotFound'), SOON, SOON],
		[network('proxy'), SOON, SOON],
		[network('handshake'), SOON, SOON],
		[{ kind: 'lostBody' }, SOON, NEVER],
		[network('reset'), SOON, NEVER],
		[network('timeout'), SOON, NEVER],
	])('after %j: %j, and one that creates something: %j', (failure, idempotent, creates) => {
		expect(decide(failure)).toEqual(idempotent);
		expect(decide(failure, { idempotent: false })).toEqual(creates);
	});

	it.each<RequestFailure>([
		...[301, 302, 307, 308, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 451, 500, 507].map(
			(status) => failed(status),
		),
		...(['certificate', 'cancelled', 'tls', 'other'] as const).map(network),
		{ kind: 'html' },
	])('never after %j', (failure) => {
		expect(decide(failure)).toEqual(NEVER);
		expect(decide(failure, { idempotent: false })).toEqual(NEVER);
	});

	it.each([1, 5])('at most %i times, for every reason', (maxRetries) => {
		for (const failure of [failed(429, '1'), failed(503), network('refused')]) {
			const isRetried = (attempts: number) =>
				decide(failure, { attempts, maxRetries }) !== undefined;
			expect(isRetried(maxRetries + 1)).toBe(false);
			expect(isRetried(maxRetries)).toBe(true);
		}
	});
});

describe('the delay', () => {
	it('doubles after each attempt up to a minute, with jitter of up to half of it', () => {
		const after = (attempts: number) => decide(failed(502), { attempts, maxRetries: 100 });
		const delays = [1, 2, 3, 6, 7, 51].map((attempts) => after(attempts)?.delay);
		expect(delays).toEqual([1000, 2000, 4000, 32_000, 60_000, 60_000]);
		expect(decide(failed(502), { random: 0.999 })).toMatchObject({ delay: 1499.5 });
	});

	it.each<[number, string | undefined, number, number, boolean]>([
		[429, '7', 0, 7000, true],
		[503, '7', 0, 7000, true],
		[503, 'Sat, 21 Nov 2026 10:00:30 GMT', 0, 30_000, true],
		[429, 'Sat, 21 Nov 2026 09:00:00 GMT', 0, 0, true],
		[429, '0', 0, 0, true],
		// A limit that asks for no delay at all, time after time.
		[429, '0', 3, 16_000, true],
		[429, '0.9', 1, 4000, true],
		[429, '1', 1, 1000, true],
		// Five of them take longer than the minute by which services count.
		[429, undefined, 1, 4000, true],
		[429, undefined, 4, 32_000, true],
		[429, 'soon', 0, 2000, true],
		[502, '7', 0, 1000, false],
		[429, '3600', 0, 3_600_000, true],
	])(
		'after %i with Retry-After %s and %i attempts: %i ms',
		(status, header, attemptCount, delay, pauseAll) => {
			const decision = decide(failed(status, header), { attempts: attemptCount + 1 });
			expect(decision).toEqual({ delay, pauseAll });
		},
	);

	it('is at most an hour, beyond which the request fails', () => {
		expect(decide(failed(429, '3601'))).toEqual(NEVER);
		expect(decide(failed(503, '3601'))).toEqual(NEVER);
	});
});

it.each<[string | undefined, number | undefined]>([
	['120', 120_000],
	[' 1 ', 1000],
	['0.25', 250],
	['Sat, 21 Nov 2026 10:02:00 GMT', 120_000],
	['Saturday, 21-Nov-26 10:02:00 GMT', 120_000],
	['Sat Nov 21 10:02:00 2026 GMT', 120_000],
	['2026-11-21T10:02:00Z', 120_000],
	['Sat, 21 Nov 2026 09:00:00 GMT', 0],
	...[undefined, '', ' ', 'soon', '-5', '12 s', '1e3', '2026-11-21'].map(
		(header): [string | undefined, undefined] => [header, undefined],
	),
])('Retry-After %j is a delay of %p ms', (header, milliseconds) => {
	expect(parseRetryAfter(header, now)).toBe(milliseconds);
});

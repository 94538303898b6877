import {
	getRetryDecision,
	type NetworkFailure,
	type RequestFailure,
} from '../../../../nodes/shared/errors/failure';

beforeEach(() => {
	jest.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00Z') });
	jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => jest.useRealTimers());

const failed = (status: number, retryAfter?: string, code?: string): RequestFailure => ({
	...{ kind: 'status', status, retryAfter, code },
});
const network = (reason: NetworkFailure['reason']): RequestFailure => ({
	...{ kind: 'network', reason, code: 'E_CODE' },
});
const decide = (failure: RequestFailure, attempts = 1, idempotent = true) =>
	getRetryDecision(failure, { attempts, maxRetries: 5, idempotent });

const SOON = { delay: 1000, pauseAll: false };
const LATER = { delay: 2000, pauseAll: true };
const NEVER = undefined;

it.each<[object | undefined, object | undefined, RequestFailure[]]>([
	[LATER, LATER, [failed(429)]],
	[SOON, NEVER, [408, 502, 503, 504, 522].map((status) => failed(status))],
	[SOON, SOON, [network('unreachable')]],
	[SOON, NEVER, (['reset', 'timeout'] as const).map(network)],
	[NEVER, NEVER, [301, 302, 400, 401, 403, 404, 409, 422, 500].map((status) => failed(status))],
	[NEVER, NEVER, (['certificate', 'cancelled', 'tls', 'other'] as const).map(network)],
	[NEVER, NEVER, [{ kind: 'unexpected', expected: 'a list', received: 'text' }]],
	// Longer than an hour.
	[NEVER, NEVER, [failed(429, '3601'), failed(503, '3601')]],
	[{ delay: 20_000, pauseAll: false }, NEVER, [failed(409, '20', 'in_progress')]],
])('it is %j, and %j for what creates something: %j', (retry, creates, failures) => {
	for (const failure of failures) {
		expect([decide(failure), decide(failure, 1, false)]).toEqual([retry, creates]);
		expect([decide(failure, 5) === undefined, decide(failure, 6)]).toEqual([
			...[retry === undefined, NEVER],
		]);
	}
});

it('the delay doubles up to a minute, with jitter of up to half of it', () => {
	const delays = [1, 2, 3, 5].map((attempts) => decide(failed(502), attempts)?.delay);
	expect(delays).toEqual([1000, 2000, 4000, 16_000]);
	const many = { attempts: 51, maxRetries: 99, idempotent: true };
	expect(getRetryDecision(failed(502), many)).toMatchObject({ delay: 60_000 });
	jest.spyOn(Math, 'random').mockReturnValue(0.999);
	expect(decide(failed(502))?.delay).toBe(1499.5);
});

it.each<[number, string | undefined, number, number, boolean]>([
	[429, '7', 1, 7000, true],
	[503, 'Sat, 21 Nov 2026 10:00:30 GMT', 1, 30_000, true],
	[429, '3600', 1, 3_600_000, true],
	// A limit that asks for no delay at all, time after time.
	[429, '0', 1, 0, true],
	[429, '0', 4, 16_000, true],
	[429, '1', 2, 1000, true],
	// Five of them take longer than the minute by which services count.
	[429, undefined, 5, 32_000, true],
	[429, 'soon', 1, 2000, true],
	[502, '7', 1, 1000, false],
])('after %i with Retry-After %s and %i attempts, it is %i ms', (status, header, ...rest) => {
	const [attempts, delay, pauseAll] = rest;
	expect(decide(failed(status, header), attempts)).toEqual({ delay, pauseAll });
});

/** Seconds or a date (RFC 9110, 10.2.3); otherwise, it takes as long as usual. */
it.each<[string, number]>([
	['120', 120_000],
	[' 1.25 ', 1250],
	['Sat, 21 Nov 2026 10:02:00 GMT', 120_000],
	['Sat, 21 Nov 2026 09:00:00 GMT', 0],
	...['', 'soon', '-5', '12 s', '1e3', '2026-11-21'].map(
		(header) => [header, 2000] as [string, number],
	),
])('Retry-After %j is a delay of %p ms', (header, delay) => {
	expect(decide(failed(429, header))).toEqual({ delay, pauseAll: true });
});

import type { NetworkErrorReason, RequestFailure } from '../../../../nodes/shared/errors/failure';
import { getRetryDecision, parseRetryAfter } from '../../../../nodes/shared/client/retry';

const now = Date.parse('2026-11-21T10:00:00Z');

beforeEach(() => {
	jest.useFakeTimers({ now });
	jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => jest.useRealTimers());

const failed = (status: number, retryAfter?: string): RequestFailure => ({
	...{ kind: 'status', status, retryAfter },
});
const network = (reason: NetworkErrorReason): RequestFailure => ({
	...{ kind: 'network', reason, code: 'E_CODE' },
});
const decide = (failure: RequestFailure, attempts = 1, idempotent = true) =>
	getRetryDecision(failure, { attempts, maxRetries: 5, idempotent });

const SOON = { delay: 1000, pauseAll: false };
const NEVER = undefined;

it.each<[RequestFailure, object, object | undefined]>([
	[failed(429), { delay: 2000, pauseAll: true }, { delay: 2000, pauseAll: true }],
	...[408, 502, 503, 504, 522].map((status): [RequestFailure, object, undefined] => [
		...([failed(status), SOON, NEVER] as const),
	]),
	...(['refused', 'nameNotFound', 'proxy'] as const).map(
		(reason): [RequestFailure, object, object] => [network(reason), SOON, SOON],
	),
	...(['reset', 'timeout'] as const).map((reason): [RequestFailure, object, undefined] => [
		...([network(reason), SOON, NEVER] as const),
	]),
	[{ kind: 'lostBody' }, SOON, NEVER],
])(
	'after %j, a request is sent again: %j, and one that creates something: %j',
	(failure, retry, creates) => {
		expect([decide(failure), decide(failure, 1, false)]).toEqual([retry, creates]);
		expect(decide(failure, 5)).toBeDefined();
		expect(decide(failure, 6)).toBe(NEVER);
	},
);

it.each<RequestFailure>([
	...[301, 302, 400, 401, 403, 404, 409, 410, 413, 422, 500, 507].map((status) => failed(status)),
	...(['certificate', 'cancelled', 'tls', 'other'] as const).map(network),
	{ kind: 'html' },
	// Longer than an hour.
	failed(429, '3601'),
	failed(503, '3601'),
])('after %j, no request is sent again', (failure) => {
	expect(decide(failure)).toBe(NEVER);
});

it('the delay doubles up to a minute, with jitter of up to half of it', () => {
	const delays = [1, 2, 3, 5].map((attempts) => decide(failed(502), attempts)?.delay);
	expect(delays).toEqual([1000, 2000, 4000, 16_000]);
	expect(
		getRetryDecision(failed(502), { attempts: 51, maxRetries: 99, idempotent: true }),
	).toMatchObject({ delay: 60_000 });
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

it.each<[string | undefined, number | undefined]>([
	['120', 120_000],
	[' 0.25 ', 250],
	['Sat, 21 Nov 2026 10:02:00 GMT', 120_000],
	['Sat, 21 Nov 2026 09:00:00 GMT', 0],
	...[undefined, '', 'soon', '-5', '12 s', '1e3', '2026-11-21'].map(
		(header): [string | undefined, undefined] => [header, undefined],
	),
])('Retry-After %j is a delay of %p ms', (header, milliseconds) => {
	expect(parseRetryAfter(header)).toBe(milliseconds);
});

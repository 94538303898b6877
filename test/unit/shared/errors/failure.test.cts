import { classifyNetworkError, findRefusal } from '../../../../nodes/shared/client/transportErrors';
import {
	findDoubt,
	getFailureCause,
	getRetryDecision,
	isMissingRecord,
	type NetworkFailure,
	type RequestFailure,
} from '../../../../nodes/shared/errors/failure';

const errorWith = (code: string, message = 'failed', more = {}) =>
	Object.assign(new Error(message), { code, ...more });
const reasonOf = (error: unknown) => classifyNetworkError(error).reason;

it.each([
	['unreachable', 'ECONNREFUSED ENOTFOUND EAI_AGAIN'],
	['reset', 'ECONNRESET EPIPE EHOSTUNREACH ERR_STREAM_PREMATURE_CLOSE ERR_BAD_RESPONSE'],
	['timeout', 'ESOCKETTIMEDOUT ETIMEDOUT'],
	['canceled', 'ERR_CANCELED'],
	['tls', 'EPROTO ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
	['certificate', 'SELF_SIGNED_CERT_IN_CHAIN CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID'],
	['certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
	['other', 'E_SOMETHING_NEW'],
])('the reason of a network error is %s by the codes %s', (reason, codes) => {
	for (const code of codes.split(' ')) {
		expect(classifyNetworkError(errorWith(code))).toMatchObject({
			reason,
			code,
			isIncomplete: false,
		});
		expect(reasonOf({ cause: { cause: errorWith(code) } })).toBe(reason);
	}
});

it.each<[string, object]>([
	['unreachable', { cause: errorWith('ECONNRESET', 'Bad status from proxy CONNECT: 407') }],
	['unreachable', { cause: errorWith('ECONNRESET', 'Closed while receiving CONNECT response') }],
	['tls', errorWith('EPROTO', 'write EPROTO tlsv1 alert protocol version')],
	['timeout', errorWith('ECONNABORTED', 'timeout of 5000ms exceeded')],
	['timeout', errorWith('ECONNABORTED', 'aborted', { cause: new Error('timeout of 5ms') })],
	['reset', errorWith('ECONNABORTED', 'stream has been aborted')],
	['reset', { httpCode: 'ECONNRESET' }],
	['unreachable', errorWith('ETIMEDOUT', 'connect ETIMEDOUT 10.0.0.1:443')],
	['unreachable', { code: 'ETIMEDOUT', errors: [errorWith('E_X', 'connect ETIMEDOUT ::1'), null] }],
	['unreachable', errorWith('ECONNRESET', 'disconnected before secure TLS connection')],
	// Only the code of the error itself counts, whatever its message quotes.
	['other', errorWith('E_NEW', 'x ALERT_CERT\nEPROTO\nECONNREFUSED\nECONNRESET\nERR_CANCELED\n')],
])('the reason is %s with %p', (reason, error) => {
	expect([reasonOf(error), reasonOf({ cause: error })]).toEqual([reason, reason]);
});

it.each<[object, number | undefined]>([
	[{ response: { status: 413, headers: { 'retry-after': '7' } } }, 413],
	[{ request: { res: { statusCode: 413, headers: { 'retry-after': '7' } } } }, 413],
	[{ response: { status: 399, headers: {} } }, undefined],
	[{ request: { res: null } }, undefined],
])('a connection that broke with %j has the status %j', (cause, status) => {
	const error = Object.assign(new Error('x'), { cause: errorWith('ECONNRESET', 'x', cause) });
	expect([findRefusal(error)]).toMatchObject([status && { status, retryAfter: '7' }]);
});

const failed = (status: number, retryAfter?: string, isInProgress = false): RequestFailure => ({
	...{ kind: 'status', status, retryAfter, isInProgress },
});
const network = (reason: NetworkFailure['reason']): RequestFailure => ({
	...{ kind: 'network', reason, code: 'E_CODE' },
});
const cut = (code: string, syscall: string) =>
	classifyNetworkError({ cause: errorWith(code, `${syscall} ${code}`, { syscall }) });
const unexpected = { kind: 'unexpected', expected: 'a list', received: 'text' } as const;
const undone = { kind: 'undone', problem: 'The contact is still there', advice: 'Look.' } as const;
const statuses = (...numbers: number[]) => numbers.map((status) => failed(status));

it.each<[boolean, string | undefined, RequestFailure[]]>([
	[true, undefined, statuses(302, 303)],
	[false, undefined, statuses(301, 307, 308, 400, 403, 404)],
	[false, 'credential-invalid', statuses(401)],
	[false, 'rate-limited', statuses(429)],
	[true, 'temporarily-unavailable', statuses(408, 500, 502, 503, 504)],
	[
		...([false, 'temporarily-unavailable'] as const),
		[{ kind: 'status', status: 503, isUnsent: true }, network('unreachable')],
	],
	[
		...([false, 'temporarily-unavailable'] as const),
		// A part was not written, or not even read.
		[cut('EPIPE', 'write'), classifyNetworkError(errorWith('ERR_CANCELED'), { isSent: false })],
	],
	[
		...([true, 'temporarily-unavailable'] as const),
		[cut('ECONNRESET', 'read'), cut('ETIMEDOUT', 'write')],
	],
	[
		...([true, 'temporarily-unavailable'] as const),
		(['reset', 'timeout', 'other', 'canceled'] as const).map(network),
	],
	[false, 'configuration-invalid', [network('certificate')]],
	[true, 'configuration-invalid', [network('tls')]],
	[true, 'temporarily-unavailable', [unexpected]],
])('might have changed something: %s, and n8n is told %s, by %j', (isInDoubt, cause, failures) => {
	for (const failure of failures) {
		expect(findDoubt(failure, { isChange: true })).toEqual(
			isInDoubt ? { what: 'change' } : undefined,
		);
		const creation = { isChange: true, creates: 'request' } as const;
		expect(findDoubt(failure, creation)).toEqual(isInDoubt ? { what: 'request' } : undefined);
		expect(findDoubt(failure, { isChange: false })).toBeUndefined();
		expect(getFailureCause(failure)?.cause).toBe(cause);
	}
});

it('what the service reports as undone might be a new container, and no change', () => {
	expect(findDoubt(undone, { isChange: true })).toBeUndefined();
	expect(findDoubt(undone, { isChange: true, creates: 'container' })).toEqual({
		what: 'container',
	});
});

it.each<[RequestFailure, boolean]>([
	[failed(404), true],
	[failed(410), true],
	[failed(403), false],
	[network('reset'), false],
	[{ kind: 'status', status: 404, isHtml: true }, false],
])('%j says that the record is missing: %s', (failure, isMissing) => {
	expect(isMissingRecord(failure)).toBe(isMissing);
});

describe('a retry', () => {
	beforeEach(() => {
		jest.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00Z') });
		jest.spyOn(Math, 'random').mockReturnValue(0);
	});
	afterEach(() => jest.useRealTimers());

	const decide = (failure: RequestFailure, attempts = 1, idempotent = true) =>
		getRetryDecision(failure, { attempts, maxRetries: 5, idempotent });
	const SOON = { delay: 1000, pauseAll: false };
	const LATER = { delay: 2000, pauseAll: true };
	const NEVER = undefined;

	it.each<[object | undefined, object | undefined, RequestFailure[]]>([
		[LATER, LATER, [failed(429)]],
		[SOON, NEVER, statuses(408, 502, 503, 504, 522)],
		[SOON, SOON, [network('unreachable')]],
		[SOON, NEVER, (['reset', 'timeout'] as const).map(network)],
		[NEVER, NEVER, statuses(301, 302, 400, 401, 403, 404, 409, 422, 500)],
		[NEVER, NEVER, (['certificate', 'canceled', 'tls', 'other'] as const).map(network)],
		[NEVER, NEVER, [unexpected]],
		// Longer than an hour.
		[NEVER, NEVER, [failed(429, '3601'), failed(503, '3601')]],
		[{ delay: 20_000, pauseAll: false }, NEVER, [failed(409, '20', true)]],
	])('is %j, and %j for what creates something: %j', (retry, creates, failures) => {
		for (const failure of failures) {
			expect([decide(failure), decide(failure, 1, false)]).toEqual([retry, creates]);
			expect([decide(failure, 5) === undefined, decide(failure, 6)]).toEqual([
				...[retry === undefined, NEVER],
			]);
		}
	});

	it('comes twice as late each time, up to a minute, with jitter of up to half of it', () => {
		const delays = [1, 2, 3, 5].map((attempts) => decide(failed(502), attempts)?.delay);
		expect(delays).toEqual([1000, 2000, 4000, 16_000]);
		const many = { attempts: 51, maxRetries: 99, idempotent: true };
		expect(getRetryDecision(failed(502), many)).toMatchObject({ delay: 60_000 });
		jest.spyOn(Math, 'random').mockReturnValue(0.999);
		expect(decide(failed(502))?.delay).toBe(1499.5);
	});

	/** Retry-After is seconds or a date (RFC 9110, 10.2.3); otherwise, it takes as long as usual. */
	it.each<[number, string | undefined, number, number, boolean]>([
		[429, '3600', 1, 3_600_000, true],
		[429, ' 1.25 ', 1, 1250, true],
		[503, 'Sat, 21 Nov 2026 10:00:30 GMT', 1, 30_000, true],
		[429, 'Sat, 21 Nov 2026 09:00:00 GMT', 1, 0, true],
		...['', 'soon', '-5', '12 s', '1e3', '2026-11-21'].map(
			(header): [number, string, number, number, boolean] => [429, header, 1, 2000, true],
		),
		// A limit that asks for no delay at all, time after time.
		[429, '0', 1, 0, true],
		[429, '0', 4, 16_000, true],
		[429, '1', 2, 1000, true],
		// Five of them take longer than the minute by which services count.
		[429, undefined, 5, 32_000, true],
		[502, '7', 1, 1000, false],
	])('after %i with Retry-After %j and %i attempts waits %i ms', (status, header, ...rest) => {
		const [attempts, delay, pauseAll] = rest;
		expect(decide(failed(status, header), attempts)).toEqual({ delay, pauseAll });
	});
});

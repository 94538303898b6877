import type { NetworkErrorReason, RequestFailure } from '../../../../nodes/shared/errors/failure';
import {
	getFailureCause,
	isMissingRecord,
	isOutcomeUnknown,
} from '../../../../nodes/shared/errors/failure';

const failed = (status: number): RequestFailure => ({ kind: 'status', status });
const networkError = (reason: NetworkErrorReason): RequestFailure => ({
	kind: 'network',
	reason,
	code: 'E_CODE',
});

describe('the outcome of a failed request', () => {
	it.each<RequestFailure>([
		failed(302),
		failed(303),
		failed(408),
		failed(500),
		failed(502),
		failed(503),
		failed(504),
		networkError('reset'),
		networkError('timeout'),
		networkError('other'),
		networkError('cancelled'),
		{ kind: 'html' },
		{ kind: 'lostBody' },
		{ kind: 'invalidJson', reason: 'it ends too early' },
		{ kind: 'unexpected', expected: 'a list', received: 'text' },
	])('is unknown: %j', (failure) => expect(isOutcomeUnknown(failure)).toBe(true));

	it.each<RequestFailure>([
		failed(301),
		failed(307),
		failed(308),
		failed(400),
		failed(404),
		failed(429),
		networkError('refused'),
		networkError('nameNotFound'),
		networkError('handshake'),
		networkError('certificate'),
	])('is known: %j', (failure) => expect(isOutcomeUnknown(failure)).toBe(false));
});

describe('the cause of a failed request for n8n', () => {
	it.each<[RequestFailure, ReturnType<typeof getFailureCause>]>([
		[failed(429), { cause: 'rate-limited', retryAfterMs: 7000 }],
		[failed(503), { cause: 'temporarily-unavailable', retryAfterMs: 7000 }],
		[failed(500), { cause: 'temporarily-unavailable', retryAfterMs: 7000 }],
		[failed(408), { cause: 'temporarily-unavailable', retryAfterMs: 7000 }],
		[failed(401), { cause: 'credential-invalid' }],
		[failed(403), undefined],
		[failed(404), undefined],
		[networkError('reset'), { cause: 'temporarily-unavailable' }],
		[networkError('nameNotFound'), { cause: 'temporarily-unavailable' }],
		[networkError('certificate'), { cause: 'configuration-invalid' }],
		[networkError('clientCertificate'), { cause: 'configuration-invalid' }],
		[networkError('tlsVersion'), { cause: 'configuration-invalid' }],
		[networkError('notHttps'), { cause: 'configuration-invalid' }],
		[{ kind: 'invalidJson', reason: 'certificate' }, { cause: 'temporarily-unavailable' }],
		[{ kind: 'html' }, { cause: 'temporarily-unavailable' }],
	])('of %j is %j', (failure, expected) => {
		expect(getFailureCause(failure, 7000)).toEqual(expected);
	});

	it('says nothing of a wait that the service did not ask for', () => {
		expect(getFailureCause(failed(429))).toStrictEqual({ cause: 'rate-limited' });
	});
});

it.each<[RequestFailure, boolean]>([
	[failed(404), true],
	[failed(410), true],
	[failed(403), false],
	[failed(500), false],
	[networkError('reset'), false],
	[{ kind: 'html' }, false],
])('%j says that the record is missing: %s', (failure, isMissing) => {
	expect(isMissingRecord(failure)).toBe(isMissing);
});

import type { NetworkErrorReason, RequestFailure } from '../../../../nodes/shared/errors/failure';
import { isOutcomeUnknown } from '../../../../nodes/shared/errors/failure';

const failed = (status: number): RequestFailure => ({ kind: 'status', status });
const networkError = (reason: NetworkErrorReason): RequestFailure => ({
	kind: 'network',
	reason,
	code: 'E_CODE',
});

describe('the outcome of a failed request', () => {
	it.each<RequestFailure>([
		failed(408),
		failed(500),
		failed(502),
		failed(503),
		failed(504),
		networkError('reset'),
		networkError('timeout'),
		networkError('other'),
		{ kind: 'html' },
		{ kind: 'invalidJson', reason: 'it ends too early' },
		{ kind: 'unexpected', expected: 'a list', received: 'text' },
	])('is unknown: %j', (failure) => expect(isOutcomeUnknown(failure)).toBe(true));

	it.each<RequestFailure>([
		failed(400),
		failed(404),
		failed(429),
		networkError('refused'),
		networkError('nameNotFound'),
		networkError('certificate'),
	])('is known: %j', (failure) => expect(isOutcomeUnknown(failure)).toBe(false));
});

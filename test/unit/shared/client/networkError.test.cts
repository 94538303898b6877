import { classifyNetworkError, findRefusal } from '../../../../nodes/shared/client/networkError';

const failure = (code: string, message = 'failed', more = {}) =>
	Object.assign(new Error(message), { code, ...more });
const reasonOf = (error: unknown) => classifyNetworkError(error).reason;

describe('the reason of a network error', () => {
	it.each([
		['refused', 'ECONNREFUSED'],
		['nameNotFound', 'ENOTFOUND EAI_AGAIN'],
		['reset', 'ECONNRESET EPIPE EHOSTUNREACH ERR_STREAM_PREMATURE_CLOSE ERR_BAD_RESPONSE'],
		['timeout', 'ESOCKETTIMEDOUT ETIMEDOUT'],
		['cancelled', 'ERR_CANCELED'],
		['tls', 'EPROTO ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
		['certificate', 'SELF_SIGNED_CERT_IN_CHAIN CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID'],
		['certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
		['other', 'E_SOMETHING_NEW'],
	])('is %s by the codes %s', (reason, codes) => {
		for (const code of codes.split(' ')) {
			expect(classifyNetworkError(failure(code))).toEqual({ reason, code });
			expect(reasonOf({ cause: { cause: failure(code) } })).toBe(reason);
		}
	});

	it.each<[string, object]>([
		['proxy', { cause: failure('ECONNRESET', 'Bad status from proxy CONNECT: 407') }],
		['proxy', { cause: failure('ECONNRESET', 'Closed while receiving CONNECT response') }],
		['tls', failure('EPROTO', 'write EPROTO tlsv1 alert protocol version')],
		['timeout', failure('ECONNABORTED', 'timeout of 5000ms exceeded')],
		['timeout', failure('ECONNABORTED', 'aborted', { cause: new Error('timeout of 5ms') })],
		['reset', failure('ECONNABORTED', 'stream has been aborted')],
		['reset', { httpCode: 'ECONNRESET' }],
		['refused', failure('ETIMEDOUT', 'connect ETIMEDOUT 10.0.0.1:443')],
		['refused', failure('EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.1:443')],
		['refused', { code: 'ETIMEDOUT', errors: [failure('E_X', 'connect ETIMEDOUT ::1:443'), null] }],
		['refused', failure('ECONNRESET', 'disconnected before secure TLS connection was established')],
		// Only the code of the error itself counts, whatever its message quotes.
		['other', failure('E_NEW', 'x ALERT_CERT\nEPROTO\nECONNREFUSED\nECONNRESET\nERR_CANCELED\n')],
	])('is %s, with %p', (reason, error) => {
		expect([reasonOf(error), reasonOf({ cause: error })]).toEqual([reason, reason]);
	});

	it('comes with the port and the host that the connection failed at', () => {
		const cause = { ...failure('ECONNREFUSED'), port: 3128, hostname: 'proxy.example.com' };
		expect(classifyNetworkError({ port: '1', hostname: 1, cause })).toEqual({
			...{ reason: 'refused', code: 'ECONNREFUSED', port: 3128, host: 'proxy.example.com' },
		});
	});

	it('is that of the first of five causes with a code, or another one', () => {
		const wrap = (levels: number): object =>
			levels === 0 ? failure('EPIPE') : { code: 500, cause: wrap(levels - 1) };
		expect(classifyNetworkError(wrap(4))).toEqual({ reason: 'reset', code: 'EPIPE' });
		const none = { reason: 'other', code: 'no code' };
		for (const error of [wrap(5), undefined, null, 'text', {}]) {
			expect(classifyNetworkError(error)).toEqual(none);
		}
	});
});

it.each<[object, number | undefined]>([
	[{ response: { status: 413, headers: { a: 'b' } } }, 413],
	[{ request: { res: { statusCode: 413, headers: { a: 'b' } } } }, 413],
	[{ response: { status: 399, headers: {} } }, undefined],
	[{ request: { res: null } }, undefined],
	[{}, undefined],
])('a connection that broke with %j has the status %j', (cause, status) => {
	const error = Object.assign(new Error('x'), { cause: failure('ECONNRESET', 'x', cause) });
	const refusal = status === undefined ? undefined : { status, headers: { a: 'b' } };
	expect(findRefusal(error)).toEqual(refusal);
});

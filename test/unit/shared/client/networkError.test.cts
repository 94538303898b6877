import { classifyNetworkError, findRefusal } from '../../../../nodes/shared/client/transport';

const failure = (code: string, message = 'failed', more = {}) =>
	Object.assign(new Error(message), { code, ...more });
const reasonOf = (error: unknown) => classifyNetworkError(error).reason;

it.each([
	['unreachable', 'ECONNREFUSED ENOTFOUND EAI_AGAIN'],
	['reset', 'ECONNRESET EPIPE EHOSTUNREACH ERR_STREAM_PREMATURE_CLOSE ERR_BAD_RESPONSE'],
	['timeout', 'ESOCKETTIMEDOUT ETIMEDOUT'],
	['cancelled', 'ERR_CANCELED'],
	['tls', 'EPROTO ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
	['certificate', 'SELF_SIGNED_CERT_IN_CHAIN CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID'],
	['certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
	['other', 'E_SOMETHING_NEW'],
])('the reason of a network error is %s by the codes %s', (reason, codes) => {
	for (const code of codes.split(' ')) {
		expect(classifyNetworkError(failure(code))).toEqual({ kind: 'network', reason, code });
		expect(reasonOf({ cause: { cause: failure(code) } })).toBe(reason);
	}
});

it.each<[string, object]>([
	['unreachable', { cause: failure('ECONNRESET', 'Bad status from proxy CONNECT: 407') }],
	['unreachable', { cause: failure('ECONNRESET', 'Closed while receiving CONNECT response') }],
	['tls', failure('EPROTO', 'write EPROTO tlsv1 alert protocol version')],
	['timeout', failure('ECONNABORTED', 'timeout of 5000ms exceeded')],
	['timeout', failure('ECONNABORTED', 'aborted', { cause: new Error('timeout of 5ms') })],
	['reset', failure('ECONNABORTED', 'stream has been aborted')],
	['reset', { httpCode: 'ECONNRESET' }],
	['unreachable', failure('ETIMEDOUT', 'connect ETIMEDOUT 10.0.0.1:443')],
	['unreachable', { code: 'ETIMEDOUT', errors: [failure('E_X', 'connect ETIMEDOUT ::1'), null] }],
	['unreachable', failure('ECONNRESET', 'disconnected before secure TLS connection')],
	// Only the code of the error itself counts, whatever its message quotes.
	['other', failure('E_NEW', 'x ALERT_CERT\nEPROTO\nECONNREFUSED\nECONNRESET\nERR_CANCELED\n')],
])('the reason is %s with %p', (reason, error) => {
	expect([reasonOf(error), reasonOf({ cause: error })]).toEqual([reason, reason]);
});

it.each<[object, number | undefined]>([
	[{ response: { status: 413, headers: { a: 'b' } } }, 413],
	[{ request: { res: { statusCode: 413, headers: { a: 'b' } } } }, 413],
	[{ response: { status: 399, headers: {} } }, undefined],
	[{ request: { res: null } }, undefined],
])('a connection that broke with %j has the status %j', (cause, status) => {
	const error = Object.assign(new Error('x'), { cause: failure('ECONNRESET', 'x', cause) });
	const refusal = status === undefined ? undefined : { status, headers: { a: 'b' } };
	expect(findRefusal(error)).toEqual(refusal);
});

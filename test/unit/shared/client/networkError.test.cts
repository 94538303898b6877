import { classifyNetworkError, findRefusal } from '../../../../nodes/shared/client/networkError';

const failure = (code: string, message = 'failed', more = {}) =>
	Object.assign(new Error(message), { code, ...more });
const reasonOf = (error: unknown) => classifyNetworkError(error).reason;
const connecting = (secureConnecting: boolean) => ({ request: { socket: { secureConnecting } } });

const QUOTED = [
	...['ALERT_CERT', 'EPROTO', 'ECONNREFUSED', 'ENOTFOUND', 'ESOCKETTIMEDOUT', 'ECONNRESET'],
	...['ERR_BAD_RESPONSE', 'ERR_CANCELED', 'SELF_SIGNED'],
];

describe('the reason of a network error', () => {
	it.each([
		['refused', 'ECONNREFUSED'],
		['nameNotFound', 'ENOTFOUND EAI_AGAIN EAI_FAIL'],
		['reset', 'ECONNRESET EPIPE ERR_STREAM_PREMATURE_CLOSE ERR_BAD_RESPONSE'],
		['timeout', 'ESOCKETTIMEDOUT ETIMEDOUT'],
		['cancelled', 'ERR_CANCELED'],
		['tls', 'EPROTO ERR_SSL_PACKET_LENGTH_TOO_LONG ERR_SSL_WRONG_VERSION_NUMBER'],
		['certificate', 'SELF_SIGNED_CERT_IN_CHAIN DEPTH_ZERO_SELF_SIGNED_CERT CERT_HAS_EXPIRED'],
		['certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
		['certificate', 'ERR_TLS_CERT_ALTNAME_INVALID'],
		['tls', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
		['tls', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
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
		['tls', failure('EPROTO', 'write EPROTO tlsv13 alert certificate required')],
		['tls', failure('EPROTO', 'write EPROTO sslv3 alert handshake failure')],
		['tls', failure('EPROTO', 'write EPROTO tlsv1 alert protocol version')],
		['tls', failure('EPROTO', 'write EPROTO wrong version number')],
		['reset', failure('ECONNRESET', 'tlsv1 alert protocol version')],
		// Only the code of the error itself counts, whatever its message quotes.
		['other', failure('E_NEW', `x ${QUOTED.join('\n')}\n`)],
		['timeout', failure('ECONNABORTED', 'timeout of 5000ms exceeded')],
		['reset', failure('ECONNABORTED', 'stream has been aborted')],
		['refused', failure('ENETUNREACH', 'x', { cause: { syscall: 'connect' } })],
		['tls', failure('EPROTO', 'x', { cause: new Error('alert handshake failure') })],
		['reset', failure('ECONNABORTED', 'x', { cause: new Error('stream has been aborted') })],
		[
			'timeout',
			failure('ECONNABORTED', 'aborted', { cause: new Error('timeout of 5ms exceeded') }),
		],
		['refused', { code: 'ETIMEDOUT', syscall: 'connect' }],
		['refused', { code: 'ETIMEDOUT', message: 'connect ETIMEDOUT 10.0.0.1:443' }],
		['refused', { code: 'ETIMEDOUT', errors: [failure('E_X', 'connect ETIMEDOUT ::1:443'), null] }],
		['refused', { code: 'ECONNRESET', syscall: 'connect' }],
		['refused', { code: 'EADDRNOTAVAIL', syscall: 'connect' }],
		[
			'handshake',
			failure('ECONNRESET', 'disconnected before secure TLS connection was established'),
		],
		['handshake', { code: 'ECONNRESET', syscall: 'read', ...connecting(true) }],
		[
			'handshake',
			{ code: 'ECONNABORTED', message: 'timeout of 9ms exceeded', ...connecting(true) },
		],
		['handshake', { code: 'ERR_CANCELED', ...connecting(true) }],
		// A connection that waits for a proxy.
		['handshake', { code: 'ERR_CANCELED', request: { socket: null } }],
		['reset', { code: 'ECONNRESET', syscall: 'read', ...connecting(false) }],
		['certificate', { code: 'CERT_HAS_EXPIRED', ...connecting(true) }],
		['certificate', { code: 'CERT_HAS_EXPIRED', ...connecting(false) }],
		['tls', { code: 'EPROTO', ...connecting(true) }],
		// A connection that was secure until it became plain text.
		['reset', { code: 'EPROTO', ...connecting(false) }],
		...['EHOSTUNREACH', 'ENETUNREACH'].flatMap((code): Array<[string, object]> => [
			['refused', failure(code, 'x', { syscall: 'connect' })],
			['refused', failure(code, `connect ${code} 10.0.0.1:443`)],
			['reset', failure(code, 'x', { syscall: 'read' })],
			['reset', failure(code)],
		]),
		['reset', { httpCode: 'ECONNRESET' }],
	])('is %s, with %p and what it says', (reason, error) => {
		expect(reasonOf(error)).toBe(reason);
		expect(reasonOf({ cause: error })).toBe(reason);
	});

	it('comes with the port and the host that the connection failed at', () => {
		const found = { reason: 'refused', code: 'ECONNREFUSED' };
		const cause = { ...failure('ECONNREFUSED'), port: 3128, hostname: 'proxy.example.com' };
		expect(classifyNetworkError({ port: '1', hostname: 1, cause })).toEqual({
			...{ ...found, port: 3128, host: 'proxy.example.com' },
		});
		expect(classifyNetworkError(failure('ECONNREFUSED', 'x', { port: '1', hostname: 1 }))).toEqual(
			found,
		);
	});

	it.each([500, 'lower_CASE', 'ECONN-RESET', 'A', undefined])(
		'is that of the first cause with a code, which %p is not',
		(code) => {
			const found = { reason: 'reset', code: 'EPIPE' };
			expect(classifyNetworkError({ code, cause: failure('EPIPE') })).toEqual(found);
			expect(classifyNetworkError({ code })).toEqual({ reason: 'other', code: 'no code' });
		},
	);

	it('is searched in five causes', () => {
		const wrap = (levels: number): object =>
			levels === 0 ? failure('EPIPE') : { cause: wrap(levels - 1) };
		expect(reasonOf(wrap(4))).toBe('reset');
		expect(reasonOf(wrap(5))).toBe('other');
		for (const none of [undefined, null, 'text', {}]) expect(reasonOf(none)).toBe('other');
	});
});

it.each<[object, number | undefined]>([
	[{ response: { status: 413, headers: { a: 'b' } } }, 413],
	[{ request: { res: { statusCode: 413, headers: { a: 'b' } } } }, 413],
	[{ response: { status: 400, headers: { a: 'b' } } }, 400],
	[{ response: { status: 399, headers: {} } }, undefined],
	[{ response: { status: 200, headers: {} } }, undefined],
	[{ response: { status: '413', headers: {} } }, undefined],
	[{ request: { res: null } }, undefined],
	[{ response: 'x', request: 'y' }, undefined],
	[{}, undefined],
])('a connection that broke with %j has the status %j', (cause, status) => {
	const error = Object.assign(new Error('x'), { cause: failure('ECONNRESET', 'x', cause) });
	const refusal = status === undefined ? undefined : { status, headers: { a: 'b' } };
	expect(findRefusal(error)).toEqual(refusal);
});

import { classifyNetworkError, findRefusal } from '../../../../nodes/shared/client/networkError';

const failure = (code: string, message = 'failed', more = {}) =>
	Object.assign(new Error(message), { code, ...more });
const wrap = (cause: unknown): object => Object.assign(new Error('x'), { cause });
const endless: { cause?: unknown } = {};
endless.cause = endless;

describe('classifyNetworkError', () => {
	it.each([
		['refused', ['ECONNREFUSED']],
		['nameNotFound', ['ENOTFOUND', 'EAI_AGAIN']],
		['reset', ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_BAD_RESPONSE']],
		['timeout', ['ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ECONNABORTED']],
		['cancelled', ['ERR_CANCELED']],
		['notHttps', ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']],
		[
			'certificate',
			[
				'SELF_SIGNED_CERT_IN_CHAIN',
				'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
				'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
				'CERT_HAS_EXPIRED',
				'ERR_TLS_CERT_ALTNAME_INVALID',
			],
		],
		['other', ['E_SOMETHING_NEW']],
	])('recognizes %s by %j', (reason, codes) => {
		for (const code of codes) {
			expect(classifyNetworkError(failure(code))).toEqual({ reason, code });
		}
	});

	it.each<[string, string, unknown]>([
		// A connection that was never made proves that the request was not sent.
		[
			'ENETUNREACH while connecting',
			'refused',
			failure('ENETUNREACH', 'x', { syscall: 'connect' }),
		],
		[
			'EHOSTUNREACH by its words',
			'refused',
			failure('EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.1'),
		],
		[
			'ENETUNREACH by its cause',
			'refused',
			failure('ENETUNREACH', 'x', { cause: { syscall: 'connect' } }),
		],
		['EHOSTUNREACH later', 'reset', failure('EHOSTUNREACH', 'x', { syscall: 'read' })],
		['ENETUNREACH at any time', 'reset', failure('ENETUNREACH')],
		[
			'a required certificate',
			'clientCertificate',
			failure('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'),
		],
		[
			'the same as EPROTO',
			'clientCertificate',
			failure('EPROTO', 'tlsv13 alert certificate required'),
		],
		[
			'a failed handshake',
			'clientCertificate',
			failure('EPROTO', 'x', wrap(new Error('alert handshake failure'))),
		],
		['an old TLS', 'tlsVersion', failure('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')],
		['the same as EPROTO', 'tlsVersion', failure('EPROTO', 'tlsv1 alert protocol version')],
		['the same words with another code', 'reset', failure('ECONNRESET', 'alert protocol version')],
		['an aborted connection', 'reset', failure('ECONNABORTED', 'stream has been aborted')],
		[
			'an aborted connection by its cause',
			'reset',
			failure('ECONNABORTED', 'x', wrap(new Error('aborted'))),
		],
		['a timeout', 'timeout', failure('ECONNABORTED', 'timeout of 5000ms exceeded')],
		[
			'a timeout by its cause',
			'timeout',
			failure('ECONNABORTED', 'aborted', wrap(new Error('timeout of 5 ms'))),
		],
		[
			'a proxy that refuses',
			'proxy',
			wrap(failure('ECONNRESET', 'Bad status from proxy CONNECT: 407')),
		],
		[
			'a proxy that closes',
			'proxy',
			wrap(failure('ECONNRESET', 'Closed while receiving CONNECT response')),
		],
		['the fifth cause', 'reset', wrap(wrap(wrap(wrap(failure('EPIPE')))))],
		['the sixth cause', 'other', wrap(wrap(wrap(wrap(wrap(failure('EPIPE'))))))],
		['an endless chain of causes', 'other', endless],
		['the code of n8n', 'reset', { httpCode: 'ECONNRESET' }],
		...[500, 'lower_CASE', 'ECONN-RESET', 'A'].map((code): [string, string, unknown] => [
			`a cause of what has no code: ${code}`,
			'reset',
			{ code, cause: failure('EPIPE') },
		]),
		...[undefined, null, 'text', {}, { code: 500 }].map((error): [string, string, unknown] => [
			`nothing: ${JSON.stringify(error)}`,
			'other',
			error,
		]),
	])('recognizes %s: %s', (_what, reason, error) => {
		expect(classifyNetworkError(error).reason).toBe(reason);
	});

	it('returns the code, and the port and host that the connection failed at', () => {
		const at = { port: 3128, hostname: 'proxy.example.com' };
		const cause = failure('ECONNREFUSED', 'x', at);
		expect(classifyNetworkError({ port: '1', hostname: 1, cause })).toEqual({
			reason: 'refused',
			code: 'ECONNREFUSED',
			port: 3128,
			host: 'proxy.example.com',
		});
		expect(classifyNetworkError(undefined)).toEqual({ reason: 'other', code: 'no code' });
		expect(classifyNetworkError(failure('x', 'from proxy CONNECT'))).toEqual({
			reason: 'proxy',
			code: 'no code',
		});
	});
});

it.each<[string, object, unknown]>([
	[
		'a response whose body was cut off',
		{ response: { status: 413, headers: { a: 'b' } } },
		{ statusCode: 413, headers: { a: 'b' } },
	],
	[
		'a request that got a response',
		{ request: { res: { statusCode: 400, headers: {} } } },
		{ statusCode: 400, headers: {} },
	],
	['no response', {}, undefined],
	['a request without a response', { request: { res: null } }, undefined],
	['a status in text', { response: { status: '413', headers: {} } }, undefined],
	['a redirect', { response: { status: 399, headers: {} } }, undefined],
	['something else', { response: 'x', request: 'y' }, undefined],
])('findRefusal in %s finds its status', (_what, cause, expected) => {
	expect(findRefusal(wrap(Object.assign(failure('ECONNRESET'), cause)))).toEqual(expected);
});

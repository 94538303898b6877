import { classifyNetworkError, findRefusal } from '../../../../nodes/shared/client/networkError';

const failure = (code: string, message = 'failed') => Object.assign(new Error(message), { code });

describe('classifyNetworkError', () => {
	it.each([
		['ECONNREFUSED', 'refused'],
		['ENOTFOUND', 'nameNotFound'],
		['EAI_AGAIN', 'nameNotFound'],
		['EAI_FAIL', 'nameNotFound'],
		['ECONNRESET', 'reset'],
		['EPIPE', 'reset'],
		['ERR_STREAM_PREMATURE_CLOSE', 'reset'],
		['ERR_BAD_RESPONSE', 'reset'],
		['ESOCKETTIMEDOUT', 'timeout'],
		['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'notHttps'],
		['ETIMEDOUT', 'timeout'],
		['ECONNABORTED', 'timeout'],
		['ERR_CANCELED', 'cancelled'],
		['EPROTO', 'notHttps'],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'notHttps'],
		['SELF_SIGNED_CERT_IN_CHAIN', 'certificate'],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate'],
		['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate'],
		['CERT_HAS_EXPIRED', 'certificate'],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
		['E_SOMETHING_NEW', 'other'],
	])('recognizes the code %s: %s', (code, reason) => {
		expect(classifyNetworkError(failure(code))).toEqual({ reason, code });
	});

	it.each(['Bad status from proxy CONNECT: 407', 'Closed while receiving CONNECT response'])(
		'recognizes a proxy that refused: %s',
		(message) => {
			const error = Object.assign(new Error('x'), { cause: failure('ECONNRESET', message) });
			expect(classifyNetworkError(error)).toEqual({ reason: 'proxy', code: 'no code' });
		},
	);

	it('returns the port and the host that the connection failed at', () => {
		const cause = { ...failure('ECONNREFUSED'), port: 3128, hostname: 'proxy.example.com' };
		expect(classifyNetworkError({ port: '1', hostname: 1, cause })).toEqual({
			reason: 'refused',
			code: 'ECONNREFUSED',
			port: 3128,
			host: 'proxy.example.com',
		});
		expect(classifyNetworkError({ ...failure('ECONNREFUSED'), port: '1', hostname: 1 })).toEqual({
			reason: 'refused',
			code: 'ECONNREFUSED',
		});
	});

	it('takes the code from the first cause that has one', () => {
		for (const code of [500, 'lower_CASE', 'ECONN-RESET', 'A']) {
			const error = Object.assign(new Error('x'), { code, cause: failure('EPIPE') });
			expect(classifyNetworkError(error)).toEqual({ reason: 'reset', code: 'EPIPE' });
		}
	});

	it('searches five causes', () => {
		const wrap = (levels: number): object =>
			levels === 0 ? failure('EPIPE') : { cause: wrap(levels - 1) };
		expect(classifyNetworkError(wrap(4)).reason).toBe('reset');
		expect(classifyNetworkError(wrap(5)).reason).toBe('other');
	});

	it('searches all causes for the reason of a code', () => {
		const connect = { cause: { syscall: 'connect' } };
		expect(classifyNetworkError(Object.assign(failure('ENETUNREACH'), connect)).reason).toBe(
			'refused',
		);
		const alert = { cause: new Error('alert handshake failure') };
		expect(classifyNetworkError(Object.assign(failure('EPROTO', 'write'), alert)).reason).toBe(
			'clientCertificate',
		);
		const aborted = { cause: new Error('stream has been aborted') };
		expect(classifyNetworkError(Object.assign(failure('ECONNABORTED'), aborted)).reason).toBe(
			'reset',
		);
		const timeout = { cause: new Error('timeout of 5000ms exceeded') };
		const both = Object.assign(failure('ECONNABORTED', 'aborted'), timeout);
		expect(classifyNetworkError(both).reason).toBe('timeout');
	});

	it.each<[string, object, string]>([
		['in its syscall', { code: 'ETIMEDOUT', syscall: 'connect' }, 'refused'],
		['in its message', { code: 'ETIMEDOUT', message: 'connect ETIMEDOUT 10.0.0.1:443' }, 'refused'],
		['reset', { code: 'ECONNRESET', syscall: 'connect' }, 'refused'],
		['without a known code', { code: 'EADDRNOTAVAIL', syscall: 'connect' }, 'refused'],
		[
			'to several addresses',
			{
				code: 'ETIMEDOUT',
				errors: [failure('ETIMEDOUT', 'connect ETIMEDOUT ::1:443'), 'x'],
			},
			'refused',
		],
		[
			'that was not secure',
			failure(
				'ECONNRESET',
				'Client network socket disconnected before secure TLS connection was established',
			),
			'handshake',
		],
		[
			'reset before it was secure',
			{ code: 'ECONNRESET', syscall: 'read', request: { socket: { secureConnecting: true } } },
			'handshake',
		],
		[
			'too slow to be secure',
			{
				code: 'ECONNABORTED',
				message: 'timeout of 9ms exceeded',
				request: { socket: { secureConnecting: true } },
			},
			'handshake',
		],
		[
			'that was secure',
			{ code: 'ECONNRESET', syscall: 'read', request: { socket: { secureConnecting: false } } },
			'reset',
		],
		[
			'whose certificate is wrong',
			{ code: 'CERT_HAS_EXPIRED', request: { socket: { secureConnecting: true } } },
			'certificate',
		],
		[
			'canceled while it was made',
			{ code: 'ERR_CANCELED', request: { socket: { secureConnecting: true } } },
			'handshake',
		],
		['canceled after it was made', { code: 'ERR_CANCELED' }, 'cancelled'],
		['that waits for a proxy', { code: 'ERR_CANCELED', request: { socket: null } }, 'handshake'],
		[
			'in plain text',
			{ code: 'EPROTO', request: { socket: { secureConnecting: true } } },
			'notHttps',
		],
		[
			'that was secure until it became plain text',
			{ code: 'EPROTO', request: { socket: { secureConnecting: false } } },
			'reset',
		],
	])('recognizes a connection that was never made: %s', (_how, cause, reason) => {
		expect(classifyNetworkError({ cause }).reason).toBe(reason);
	});

	it('reads messages only for the codes that need it', () => {
		const message = 'tlsv1 alert protocol version';
		expect(classifyNetworkError(failure('ECONNRESET', message)).reason).toBe('reset');
	});

	it.each(['EHOSTUNREACH', 'ENETUNREACH'])('trusts %s only while connecting', (code) => {
		const error = (syscall: string) => Object.assign(failure(code), { syscall });
		expect(classifyNetworkError(error('connect')).reason).toBe('refused');
		expect(classifyNetworkError(failure(code, `connect ${code} 10.0.0.1:443`)).reason).toBe(
			'refused',
		);
		expect(classifyNetworkError(error('read')).reason).toBe('reset');
		expect(classifyNetworkError(failure(code)).reason).toBe('reset');
	});

	it.each([
		['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', '', 'clientCertificate'],
		['EPROTO', 'write EPROTO tlsv13 alert certificate required', 'clientCertificate'],
		['EPROTO', 'write EPROTO sslv3 alert handshake failure', 'clientCertificate'],
		['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', '', 'tlsVersion'],
		['EPROTO', 'write EPROTO tlsv1 alert protocol version', 'tlsVersion'],
		['EPROTO', 'write EPROTO wrong version number', 'notHttps'],
	])('recognizes a TLS alert: %s %s', (code, message, reason) => {
		expect(classifyNetworkError(failure(code, message)).reason).toBe(reason);
	});

	it("finds the reason inside n8n's wrapper", () => {
		const wrapped = Object.assign(new Error('x'), { cause: { cause: failure('EPIPE') } });
		expect(classifyNetworkError(wrapped)).toEqual({ reason: 'reset', code: 'EPIPE' });
		expect(classifyNetworkError({ httpCode: 'ECONNRESET' })).toMatchObject({ reason: 'reset' });
	});

	it.each([
		['timeout of 5000ms exceeded', 'timeout'],
		['stream has been aborted', 'reset'],
	])(
		'recognizes the reason of an aborted connection by its message: %s → %s',
		(message, reason) => {
			expect(classifyNetworkError(failure('ECONNABORTED', message)).reason).toBe(reason);
		},
	);

	it.each([[undefined], [null], ['text'], [{}], [{ code: 500 }], [{ code: 'not a code' }]])(
		'returns "other" for %j',
		(error) => {
			expect(classifyNetworkError(error)).toEqual({ reason: 'other', code: 'no code' });
		},
	);

	it('stops searching in an endless chain of causes', () => {
		const circle: { cause?: unknown } = {};
		circle.cause = circle;
		expect(classifyNetworkError(circle).reason).toBe('other');
	});
});

describe('findRefusal', () => {
	const wrap = (cause: object) =>
		Object.assign(new Error('x'), { cause: Object.assign(failure('ECONNRESET'), cause) });

	it.each([
		['a response whose body was cut off', { response: { status: 413, headers: { a: 'b' } } }],
		[
			'a request that got a response',
			{ request: { res: { statusCode: 413, headers: { a: 'b' } } } },
		],
	])('finds the status in %s', (_what, cause) => {
		expect(findRefusal(wrap(cause))).toEqual({ statusCode: 413, headers: { a: 'b' } });
	});

	it('finds a status from 400', () => {
		const response = (status: number) => wrap({ response: { status, headers: {} } });
		expect(findRefusal(response(400))).toEqual({ statusCode: 400, headers: {} });
		expect(findRefusal(response(399))).toBeUndefined();
	});

	it.each([
		['no response', {}],
		['a request without a response', { request: { res: null } }],
		['a status in text', { response: { status: '413', headers: {} } }],
		['a response of success', { response: { status: 200, headers: {} } }],
		['something else', { response: 'x', request: 'y' }],
	])('finds nothing in %s', (_what, cause) => {
		expect(findRefusal(wrap(cause))).toBeUndefined();
	});
});

import type { NetworkErrorReason } from '../errors/failure';
import { isObject } from '../responses/shapes';

const REASONS: Array<[NetworkErrorReason, RegExp]> = [
	['refused', /^ECONNREFUSED$/],
	['nameNotFound', /^(ENOTFOUND|EAI_.*)$/],
	[
		'reset',
		/^(ECONNRESET|EPIPE|EHOSTUNREACH|ENETUNREACH|ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE)$/,
	],
	['timeout', /^(ETIMEDOUT|ESOCKETTIMEDOUT)$/],
	['cancelled', /^ERR_CANCELED$/],
	['notHttps', /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/],
	['certificate', /CERT|SELF_SIGNED|ISSUER|ALTNAME|LEAF_SIGNATURE|CRL_/],
];
const MAX_CAUSES = 5;

/**
 * Finds out why a request got no response.
 *
 * @param error thrown by n8n's request helper; it wraps the HTTP client's error
 * @returns the reason, the code of the operating system or the HTTP client, and the port of a failed connection or the
 *   host that was not found
 */
export function classifyNetworkError(error: unknown): {
	reason: NetworkErrorReason;
	code: string;
	port?: number;
	host?: string;
} {
	const causes = getCauses(error);
	if (mentions(causes, /from proxy CONNECT|receiving CONNECT/)) {
		return { reason: 'proxy', code: 'no code' };
	}
	const code = causes
		.flatMap((cause) => [cause.code, cause.httpCode])
		.find((entry) => /^[A-Z][A-Z\d_]+$/.test(String(entry)));
	if (typeof code !== 'string') return { reason: 'other', code: 'no code' };
	const port = causes
		.map((cause) => cause.port)
		.find((entry): entry is number => typeof entry === 'number');
	const host = causes
		.map((cause) => cause.hostname)
		.find((entry): entry is string => typeof entry === 'string');
	return { reason: toReason(code, causes), code, port, host };
}

/** The status and headers of a refusal whose body was lost, when the connection was closed during an upload. */
export function findRefusal(
	error: unknown,
): { statusCode: number; headers: Record<string, string | undefined> } | undefined {
	for (const { request, response } of getCauses(error)) {
		const received = response ?? (isObject(request) ? request.res : undefined);
		if (!isObject(received)) continue;
		const { status, statusCode = status, headers } = received;
		if (typeof statusCode !== 'number' || statusCode < 400) continue;
		return { statusCode, headers: { ...(headers as Record<string, string>) } };
	}
	return undefined;
}

/** The error and what it wraps, from the outside in; attempts to connect to several addresses are one error. */
function getCauses(error: unknown): Array<Record<string, unknown>> {
	const causes: Array<Record<string, unknown>> = [];
	let inner = error;
	for (let count = 0; count < MAX_CAUSES && isObject(inner); count += 1) {
		causes.push(inner, ...(Array.isArray(inner.errors) ? inner.errors.filter(isObject) : []));
		inner = inner.cause;
	}
	return causes;
}

function mentions(causes: Array<Record<string, unknown>>, words: RegExp): boolean {
	return causes.some(({ message }) => words.test(String(message)));
}

function toReason(code: string, causes: Array<Record<string, unknown>>): NetworkErrorReason {
	const reason = toReasonOfCode(code, causes);
	const isSecure = wasSecure(causes);
	// A proxy or the service can break TLS after it read the request.
	if (reason === 'notHttps' && isSecure) return 'reset';
	if (!['reset', 'timeout', 'other', 'cancelled'].includes(reason)) return reason;
	// Only a connection that was never made proves that the request was not sent.
	const isConnecting = causes.some(({ syscall }) => syscall === 'connect');
	if (isConnecting || mentions(causes, /\bconnect E/)) return 'refused';
	const isHandshake = isSecure === false || mentions(causes, /before secure TLS connection/);
	return isHandshake ? 'handshake' : reason;
}

/** Whether the request had a secure connection, without which nothing of it is sent; undefined where nobody can tell. */
function wasSecure(causes: Array<Record<string, unknown>>): boolean | undefined {
	const request = causes.map((cause) => cause.request).find(isObject);
	// A request waits for a proxy without a socket.
	if (request?.socket === null) return false;
	const { secureConnecting } = isObject(request?.socket) ? request.socket : {};
	return typeof secureConnecting === 'boolean' ? !secureConnecting : undefined;
}

function toReasonOfCode(code: string, causes: Array<Record<string, unknown>>): NetworkErrorReason {
	if (/ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE)/.test(code)) {
		return 'clientCertificate';
	}
	if (/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/.test(code)) return 'tlsVersion';
	if (code === 'EPROTO') {
		if (mentions(causes, /alert (certificate required|handshake failure|bad certificate)/i)) {
			return 'clientCertificate';
		}
		if (mentions(causes, /alert protocol version|unsupported protocol/i)) return 'tlsVersion';
	}
	// The HTTP client has one code for its timeout and for an incomplete response; n8n's wrapper calls both "aborted".
	if (code === 'ECONNABORTED') {
		return mentions(causes, /aborted/i) && !mentions(causes, /timeout/i) ? 'reset' : 'timeout';
	}
	return REASONS.find(([, codes]) => codes.test(code))?.[0] ?? 'other';
}

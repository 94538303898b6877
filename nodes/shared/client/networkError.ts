import type { NetworkErrorReason } from '../errors/failure';
import { isObject } from '../responses/shapes';

/** By codes of the operating system, of Node.js and of the HTTP client, and by what the message says. */
const REASONS: Array<[NetworkErrorReason, RegExp, RegExp?]> = [
	['proxy', /./, /from proxy CONNECT|receiving CONNECT/],
	['tlsRefused', /ALERT_(CERT|HANDSHAKE|BAD_CERT|PROTOCOL)|UNSUPPORTED_PROTOCOL/],
	['tlsRefused', /^EPROTO$/, /alert|unsupported protocol/i],
	['notHttps', /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/],
	['refused', /^ECONNREFUSED$/],
	['nameNotFound', /^(ENOTFOUND|EAI_.*)$/],
	['timeout', /^(ETIMEDOUT|ESOCKETTIMEDOUT)$/],
	// The HTTP client has one code for its timeout and for an incomplete response; n8n's wrapper calls both "aborted".
	['timeout', /^ECONNABORTED$/, /timeout/i],
	['reset', /^ECONNABORTED$/, /aborted/i],
	['timeout', /^ECONNABORTED$/],
	['reset', /^(ECONNRESET|EPIPE|E(HOST|NET)UNREACH|ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE)$/],
	['cancelled', /^ERR_CANCELED$/],
	['certificate', /CERT|SELF_SIGNED|ISSUER|ALTNAME|LEAF_SIGNATURE|CRL_/],
];
const MAX_CAUSES = 5;

type Cause = Record<string, unknown>;

/**
 * Finds out why a request got no response.
 *
 * @param error thrown by n8n's request helper; it wraps the HTTP client's error
 * @returns the reason, its code, and the port of a failed connection or the host that was not found
 */
export function classifyNetworkError(error: unknown): {
	reason: NetworkErrorReason;
	code: string;
	port?: number;
	host?: string;
} {
	const causes = getCauses(error);
	const codes = causes.flatMap((cause) => [cause.code, cause.httpCode]).map(String);
	const code = codes.find((entry) => /^[A-Z][A-Z\d_]+$/.test(entry)) ?? 'no code';
	const { port } = causes.find((cause) => typeof cause.port === 'number') ?? {};
	const { hostname } = causes.find((cause) => typeof cause.hostname === 'string') ?? {};
	const reason = toReason(code, causes);
	return { reason, code, port: port as number | undefined, host: hostname as string | undefined };
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
function getCauses(error: unknown): Cause[] {
	const causes: Cause[] = [];
	let inner = error;
	for (let count = 0; count < MAX_CAUSES && isObject(inner); count += 1) {
		causes.push(inner, ...(Array.isArray(inner.errors) ? inner.errors.filter(isObject) : []));
		inner = inner.cause;
	}
	return causes;
}

function toReason(code: string, causes: Cause[]): NetworkErrorReason {
	const says = (words: RegExp) => causes.some(({ message }) => words.test(String(message)));
	const isReason = ([, codes, words]: (typeof REASONS)[number]) =>
		codes.test(code) && (words === undefined || says(words));
	const reason = REASONS.find(isReason)?.[0] ?? 'other';
	const isSecure = wasSecure(causes);
	// A proxy or the service can break TLS after it read the request.
	if (reason === 'notHttps' && isSecure) return 'reset';
	if (!['reset', 'timeout', 'other', 'cancelled'].includes(reason)) return reason;
	// Only a connection that was never made proves that the request was not sent.
	if (causes.some(({ syscall }) => syscall === 'connect') || says(/\bconnect E/)) return 'refused';
	return isSecure === false || says(/before secure TLS connection/) ? 'handshake' : reason;
}

/** Whether the request had a secure connection, without which nothing of it is sent; undefined where nobody can tell. */
function wasSecure(causes: Cause[]): boolean | undefined {
	const request = causes.map((cause) => cause.request).find(isObject);
	// A request waits for a proxy without a socket.
	if (request?.socket === null) return false;
	const { secureConnecting } = isObject(request?.socket) ? request.socket : {};
	return typeof secureConnecting === 'boolean' ? !secureConnecting : undefined;
}

import type { NetworkErrorReason } from '../errors/failure';
import { isObject } from '../responses/shapes';

const REASONS: Array<[NetworkErrorReason, string[]]> = [
	['refused', ['ECONNREFUSED']],
	['nameNotFound', ['ENOTFOUND', 'EAI_AGAIN']],
	['reset', ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_BAD_RESPONSE']],
	['timeout', ['ETIMEDOUT', 'ESOCKETTIMEDOUT']],
	['cancelled', ['ERR_CANCELED']],
	['notHttps', ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']],
];
const CERTIFICATE = /CERT|SELF_SIGNED|ISSUER|ALTNAME|LEAF_SIGNATURE|CRL_/;
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

/** The error and what it wraps, from the outside in. */
function getCauses(error: unknown): Array<Record<string, unknown>> {
	const causes: Array<Record<string, unknown>> = [];
	for (let inner = error; causes.length < MAX_CAUSES && isObject(inner); inner = inner.cause) {
		causes.push(inner);
	}
	return causes;
}

function mentions(causes: Array<Record<string, unknown>>, words: RegExp): boolean {
	return causes.some(({ message }) => words.test(String(message)));
}

function toReason(code: string, causes: Array<Record<string, unknown>>): NetworkErrorReason {
	// Only a connection that was never made proves that the request was not sent.
	if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
		const isConnecting = causes.some(({ syscall }) => syscall === 'connect');
		return isConnecting || mentions(causes, /\bconnect E/) ? 'refused' : 'reset';
	}
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
	const [reason] = REASONS.find(([, codes]) => codes.includes(code)) ?? [];
	return reason ?? (CERTIFICATE.test(code) ? 'certificate' : 'other');
}

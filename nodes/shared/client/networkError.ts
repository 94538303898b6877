import type { NetworkErrorReason } from '../errors/failure';

const REASONS: Record<string, NetworkErrorReason> = {
	ECONNREFUSED: 'refused',
	EHOSTUNREACH: 'refused',
	ENETUNREACH: 'refused',
	ENOTFOUND: 'nameNotFound',
	EAI_AGAIN: 'nameNotFound',
	ECONNRESET: 'reset',
	EPIPE: 'reset',
	ERR_STREAM_PREMATURE_CLOSE: 'reset',
	ERR_BAD_RESPONSE: 'reset',
	ETIMEDOUT: 'timeout',
	ECONNABORTED: 'timeout',
	ESOCKETTIMEDOUT: 'timeout',
	ERR_CANCELED: 'cancelled',
	EPROTO: 'notHttps',
	ERR_SSL_WRONG_VERSION_NUMBER: 'notHttps',
	ERR_SSL_PACKET_LENGTH_TOO_LONG: 'notHttps',
};
const CERTIFICATE = /CERT|SELF_SIGNED|ISSUER|ALTNAME|LEAF_SIGNATURE|CRL_/;
const MAX_CAUSES = 5;

/**
 * Finds out why a request got no answer.
 *
 * @param error what n8n's request helper threw; it wraps the HTTP client's error
 * @returns the reason, and the code as the operating system or the HTTP client names it
 */
export function classifyNetworkError(error: unknown): { reason: NetworkErrorReason; code: string } {
	const causes = getCauses(error);
	for (const { code, httpCode } of causes) {
		for (const candidate of [code, httpCode]) {
			if (typeof candidate !== 'string' || !/^[A-Z][A-Z\d_]+$/.test(candidate)) continue;
			return { reason: toReason(candidate, causes), code: candidate };
		}
	}
	return { reason: 'other', code: 'no code' };
}

/** The error and what it wraps, from the outside in. */
function getCauses(error: unknown): Array<Record<string, unknown>> {
	const causes: Array<Record<string, unknown>> = [];
	let inner: unknown = error;
	while (causes.length < MAX_CAUSES && isObject(inner)) {
		causes.push(inner as Record<string, unknown>);
		inner = (inner as Record<string, unknown>).cause;
	}
	return causes;
}

function toReason(code: string, causes: Array<Record<string, unknown>>): NetworkErrorReason {
	// The HTTP client has one code for its own timeout and for a broken answer; n8n's wrapper says "aborted" of both.
	if (code === 'ECONNABORTED') {
		const says = (word: RegExp) => causes.some(({ message }) => word.test(String(message)));
		return says(/aborted/i) && !says(/timeout/i) ? 'reset' : 'timeout';
	}
	return REASONS[code] ?? (CERTIFICATE.test(code) ? 'certificate' : 'other');
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

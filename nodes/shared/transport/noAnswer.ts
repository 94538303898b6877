import type { NoAnswerReason } from './retry';

const REASONS: Record<string, NoAnswerReason> = {
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
const DEEPEST_CAUSE = 5;

/**
 * Finds out why a request got no answer.
 *
 * @param error what n8n's request helper threw; it wraps the HTTP client's error
 * @returns the reason, and the code as the operating system or the HTTP client names it
 */
export function whyNoAnswer(error: unknown): { reason: NoAnswerReason; code: string } {
	let inner: unknown = error;
	for (let depth = 0; depth < DEEPEST_CAUSE && isObject(inner); depth += 1) {
		const { code, httpCode, cause, message } = inner as Record<string, unknown>;
		for (const candidate of [code, httpCode]) {
			if (typeof candidate !== 'string' || !/^[A-Z][A-Z\d_]+$/.test(candidate)) continue;
			if (
				/aborted/i.test(String(message)) &&
				candidate === 'ECONNABORTED' &&
				!/timeout/i.test(String(message))
			) {
				return { reason: 'reset', code: candidate };
			}
			return { reason: reasonOf(candidate), code: candidate };
		}
		inner = cause;
	}
	return { reason: 'other', code: 'no code' };
}

function reasonOf(code: string): NoAnswerReason {
	return REASONS[code] ?? (CERTIFICATE.test(code) ? 'certificate' : 'other');
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

import type { NetworkFailure } from '../errors/failure';
import { isObject } from '../responses/shapes';

/**
 * By the code of the operating system, of Node.js or of the HTTP client, and the messages in the lines after it; the first
 * counts. The HTTP client has one code for its timeout and for an incomplete response; n8n's wrapper calls both "aborted".
 */
const PATTERNS: Array<[NetworkFailure['reason'], RegExp]> = [
	// Only a connection that was never made proves that the request was not sent.
	['unreachable', /^(ECONNREFUSED|ENOTFOUND|EAI_\w+)\n|\bconnect E|before secure TLS connection/],
	['unreachable', /from proxy CONNECT|receiving CONNECT/],
	['tls', /^(EPROTO|ERR_SSL_\w+)\n|^\w*(ALERT_|UNSUPPORTED_PROTOCOL)/],
	['timeout', /^(E(SOCKET)?TIMEDOUT\n|ECONNABORTED\n[^]*timeout)/i],
	['reset', /^(ECONN(ABORTED|RESET)|EPIPE|E(HOST|NET)UNREACH)\n/],
	['reset', /^(ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE)\n/],
	['cancelled', /^ERR_CANCELED\n/],
	['certificate', /^\w*(CERT|SELF_SIGNED|ISSUER|ALTNAME|LEAF_SIGNATURE|CRL_)/],
];

const MAX_CAUSES = 5;

/** @param error of n8n's request helper, which wraps the HTTP client's */
export function classifyNetworkError(error: unknown): NetworkFailure {
	const causes = getCauses(error);
	const codes = causes.flatMap((cause) => [cause.code, cause.httpCode]).map(String);
	const code = codes.find((entry) => /^[A-Z][A-Z\d_]+$/.test(entry)) ?? '';
	const places = causes.map(({ hostname, address, port }) => [hostname ?? address, port]);
	const place = places.map((parts) => parts.filter(Boolean).join(':')).find(Boolean);
	const messages = causes.map(({ message }) => String(message ?? ''));
	const said = [code, ...messages, ''].join('\n');
	const [reason] = PATTERNS.find(([, pattern]) => pattern.test(said)) ?? ['other'];
	return { kind: 'network', reason, code: code || (messages.find(Boolean) ?? 'no code'), place };
}

/** The status and headers of a refusal whose body was lost, when the connection was closed during an upload. */
export function findRefusal(error: unknown) {
	for (const { request, response } of getCauses(error)) {
		const received = response ?? (isObject(request) ? request.res : undefined);
		const { statusCode, status = statusCode, headers } = isObject(received) ? received : {};
		if (typeof status !== 'number' || status < 400) continue;
		return { status, headers: { ...(headers as Record<string, string>) } };
	}
	return undefined;
}

/** The error and what it wraps, from the outside in; attempts to connect to several addresses are one error. */
function getCauses(error: unknown, levels = MAX_CAUSES): Array<Record<string, unknown>> {
	if (!isObject(error) || levels === 0) return [];
	const attempts = [error.errors].flat().filter(isObject);
	return [error, ...attempts, ...getCauses(error.cause, levels - 1)];
}

import type { NetworkFailure, StatusFailure } from '../errors/failure';
import { findServiceMessage, type Body } from '../responses/body';
import { isObject, isRecord } from '../responses/shapes';

type Headers = Record<string, string | undefined>;

/** Of a code, and of messages in the lines after it: the HTTP client has one code for a timeout and a lost response. */
const PATTERNS: Array<[NetworkFailure['reason'], RegExp]> = [
	// Only a connection that was never made proves that the request was not sent.
	['unreachable', /^(ECONNREFUSED|ENOTFOUND|EAI_\w+)\n|\bconnect E|before secure TLS connection/],
	['unreachable', /from proxy CONNECT|receiving CONNECT/],
	['tls', /^(EPROTO|ERR_SSL_\w+)\n|^\w*(ALERT_|UNSUPPORTED_PROTOCOL)/],
	['timeout', /^(E(SOCKET)?TIMEDOUT\n|ECONNABORTED\n[^]*timeout)/i],
	['reset', /^(ECONN(ABORTED|RESET)|EPIPE|E(HOST|NET)UNREACH)\n/],
	['reset', /^(ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE)\n/],
	['canceled', /^ERR_CANCELED\n/],
	['certificate', /^\w*(CERT|SELF_SIGNED|ISSUER|ALTNAME|LEAF_SIGNATURE|CRL_)/],
];

/** @param state `isSent`: whether the HTTP client took the whole request */
export function classifyNetworkError(
	cause: unknown,
	{ seconds, isSent = true }: { seconds?: number; isSent?: boolean } = {},
): NetworkFailure {
	const causes = getCauses(seconds === undefined ? cause : { code: 'ETIMEDOUT', cause });
	const codes = causes.flatMap((one) => [one.code, one.httpCode]).map(String);
	const code = codes.find((entry) => /^[A-Z][A-Z\d_]+$/.test(entry)) ?? '';
	const places = causes.map(({ hostname, address, port }) => [hostname ?? address, port]);
	const place = places.map((parts) => parts.filter(Boolean).join(':')).find(Boolean);
	const messages = causes.map(({ message }) => String(message ?? ''));
	const said = [code, ...messages, ''].join('\n');
	const [reason] = PATTERNS.find(([, pattern]) => pattern.test(said)) ?? ['other'];
	const shown = code || (messages.find(Boolean) ?? 'no code');
	const isCut = reason === 'reset' && causes.some(({ syscall }) => syscall === 'write');
	return { kind: 'network', reason, code: shown, place, seconds, isIncomplete: isCut || !isSent };
}

/** A refusal whose body was lost, when the connection was closed during an upload. */
export function findRefusal(error: unknown): StatusFailure | undefined {
	for (const { request, response } of getCauses(error)) {
		const received = response ?? (isObject(request) ? request.res : undefined);
		const { statusCode, status = statusCode, headers = {} } = isObject(received) ? received : {};
		if (typeof status !== 'number' || status < 400) continue;
		return toStatusFailure(status, headers as Headers, {});
	}
	return undefined;
}

export function toStatusFailure(status: number, headers: Headers, body: Body) {
	const { value, problem, isHtml } = body;
	const { code, newest } = isRecord(value) ? value : {};
	return {
		kind: 'status' as const,
		status,
		isHtml,
		serviceMessage: isHtml ? problem : findServiceMessage(value),
		code: typeof code === 'string' ? code : undefined,
		isInProgress: status === 409 && code === 'in_progress',
		isPasswordLimit: status === 429 && code === 'too_many_passwords',
		newestEvent: status === 409 && code === 'after_unknown' ? String(newest ?? 0) : undefined,
		location: headers.location,
		retryAfter: headers['retry-after'],
	};
}

/** The error and what it wraps, from the outside in; attempts to connect to several addresses are one error. */
function getCauses(error: unknown, levels = 5): Array<Record<string, unknown>> {
	if (!isObject(error) || levels === 0) return [];
	const attempts = [error.errors].flat().filter(isObject);
	return [error, ...attempts, ...getCauses(error.cause, levels - 1)];
}

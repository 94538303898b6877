import { NETWORK_ERRORS, type NetworkError, type NetworkErrorReason } from '../errors/failure';
import { isObject } from '../responses/shapes';

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
): { status: number; headers: Record<string, string | undefined> } | undefined {
	for (const { request, response } of getCauses(error)) {
		const received = response ?? (isObject(request) ? request.res : undefined);
		if (!isObject(received)) continue;
		const { statusCode, status = statusCode, headers } = received;
		if (typeof status !== 'number' || status < 400) continue;
		return { status, headers: { ...(headers as Record<string, string>) } };
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
	const said = [code, ...causes.map(({ message }) => String(message))].join('\n') + '\n';
	const reasons = Object.entries<NetworkError>(NETWORK_ERRORS);
	const [name = 'other'] = reasons.find(([, { pattern }]) => pattern?.test(said)) ?? [];
	const reason = name as NetworkErrorReason;
	const isSecure = wasSecure(causes);
	// A proxy or the service can break TLS after it read the request.
	if (reason === 'notHttps' && isSecure) return 'reset';
	if (!NETWORK_ERRORS[reason].isSent) return reason;
	// Only a connection that was never made proves that the request was not sent.
	const isConnecting = causes.some(({ syscall }) => syscall === 'connect');
	if (isConnecting || /\bconnect E/.test(said)) return 'refused';
	const isEarly = isSecure === false || said.includes('before secure TLS connection');
	return isEarly ? 'handshake' : reason;
}

/** Whether the request had a secure connection, without which nothing of it is sent; undefined where nobody can tell. */
function wasSecure(causes: Cause[]): boolean | undefined {
	const request = causes.map((cause) => cause.request).find(isObject);
	// A request waits for a proxy without a socket.
	if (request?.socket === null) return false;
	const { secureConnecting } = isObject(request?.socket) ? request.socket : {};
	return typeof secureConnecting === 'boolean' ? !secureConnecting : undefined;
}

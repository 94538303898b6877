import type { Failure } from 'n8n-workflow';

/** Why requests get no response: whether the service might have the request, and whether it can work the next time. */
const NETWORK_ERRORS = {
	proxy: { isSent: false, isRetried: true },
	refused: { isSent: false, isRetried: true },
	nameNotFound: { isSent: false, isRetried: true },
	certificate: { isSent: false, isRetried: false },
	// A proxy or the service can also break TLS after it read the request.
	tls: { isSent: true, isRetried: false },
	timeout: { isSent: true, isRetried: true },
	reset: { isSent: true, isRetried: true },
	cancelled: { isSent: true, isRetried: false },
	other: { isSent: true, isRetried: false },
};

export type NetworkErrorReason = keyof typeof NETWORK_ERRORS;

export interface StatusFailure {
	kind: 'status';
	status: number;
	isHtml?: boolean;
	serviceMessage?: string;
	/** What kind of error the service says it is. */
	code?: string;
	location?: string;
	retryAfter?: string;
	/** Whether it is the answer to another request, after which this one was not sent. */
	isUnsent?: boolean;
}

export interface NetworkFailure {
	kind: 'network';
	reason: NetworkErrorReason;
	code: string;
	/** Where the connection failed: not the service's own where a proxy is set. */
	port?: number;
	host?: string;
	seconds?: number;
}

/** Why a response with a status of success can't be used. */
type UnusableResponse =
	| { kind: 'lostBody' }
	| { kind: 'tooLarge'; received: string }
	| { kind: 'html'; title?: string }
	| { kind: 'invalidJson'; reason: string }
	/** The service's own words. */
	| { kind: 'reported'; message: string }
	/** A later read shows that the request did not do what it should: both are sentences, the first without its period. */
	| { kind: 'unconfirmed'; problem: string; advice: string }
	| { kind: 'unexpected'; expected: string; received: string; advice?: string };

export type RequestFailure =
	| StatusFailure
	| ((NetworkFailure | UnusableResponse) & { status?: undefined; retryAfter?: undefined });

export interface RequestSubject {
	action: string;
	containerId?: string;
	containerName?: string;
	contactEmail?: string;
	/** The user in the path, where it is not that of the API key. */
	chosenUser?: string;
	createsContainer?: boolean;
	isChange?: boolean;
	origin: string;
	attempts: number;
	/** Whether the service might have carried out an attempt before. */
	wasLost?: boolean;
}

/** Whether the service might have carried out the failed request. */
export function isOutcomeUnknown(failure: RequestFailure): boolean {
	if (failure.kind === 'network') return NETWORK_ERRORS[failure.reason].isSent;
	if (failure.kind !== 'status') return true;
	const { status, isUnsent } = failure;
	// With a redirect to another page, a service can also answer what it carried out.
	return !isUnsent && (isInProgress(failure) || [302, 303, 408].includes(status) || status >= 500);
}

export function isTemporary(failure: RequestFailure): boolean {
	if (failure.kind === 'network') return NETWORK_ERRORS[failure.reason].isRetried;
	if (failure.kind !== 'status') return failure.kind === 'lostBody';
	const { status } = failure;
	// Content delivery networks have codes of their own for an outage, from 520 on.
	return isInProgress(failure) || [408, 429, 502, 503, 504].includes(status) || status >= 520;
}

/** Whether an earlier request with the same idempotency key is still running. */
export function isInProgress(failure: RequestFailure): boolean {
	return failure.kind === 'status' && failure.status === 409 && failure.code === 'in_progress';
}

/** Whether the service takes no requests at the moment. */
export function isRejectedForNow({ status }: RequestFailure): boolean {
	return status === 429 || status === 503;
}

/** Whether the service says that the record does not exist (any more). A proxy, which knows no record, writes HTML. */
export function isMissingRecord(failure: RequestFailure): boolean {
	return (failure.status === 404 || failure.status === 410) && !failure.isHtml;
}

/**
 * Why a request failed, as n8n's scheduler wants to know: whether the next poll should come later (after the milliseconds
 * that the service asks for), or somebody must act first. Undefined where the response does not tell.
 */
export function getFailureCause(failure: RequestFailure, wait?: number): Failure | undefined {
	const retry = wait === undefined ? {} : { retryAfterMs: wait };
	const { status } = failure;
	if (status === 401) return { cause: 'credential-invalid' };
	if (status === 429) return { cause: 'rate-limited', ...retry };
	if (status !== undefined && status !== 408 && status < 500) return undefined;
	const isInsecure = failure.kind === 'network' && /^(certificate|tls)$/.test(failure.reason);
	return isInsecure
		? { cause: 'configuration-invalid' }
		: { cause: 'temporarily-unavailable', ...retry };
}

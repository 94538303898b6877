import type { Failure } from 'n8n-workflow';

const BASE_DELAY = 1000;
const MAX_BACKOFF = 60_000;
const MAX_RETRY_AFTER = 3_600_000;

export interface StatusFailure {
	kind: 'status';
	status: number;
	isHtml?: boolean;
	serviceMessage?: string;
	/** The word of the contract for what is wrong, such as `on_hold`. */
	code?: string;
	/** Whether an earlier request with the same idempotency key is still running. */
	isInProgress?: boolean;
	/** Whether it only takes no more passwords: other requests can go on. */
	isPasswordLimit?: boolean;
	/** The ID of the newest event, where the service has lost the one that was asked for (`after_unknown`). */
	newestEvent?: string;
	location?: string;
	retryAfter?: string;
	/** Whether it is the answer to another request, after which this one was not sent. */
	isUnsent?: boolean;
}

export interface NetworkFailure {
	kind: 'network';
	reason: 'unreachable' | 'certificate' | 'tls' | 'timeout' | 'reset' | 'canceled' | 'other';
	/** The message, where there is no code. */
	code: string;
	/** Where the connection failed: with a proxy, not at the service. */
	place?: string;
	/** After which the request was ended. */
	seconds?: number;
	/** Whether a part of the request was never sent: the service does nothing with the rest. */
	isIncomplete?: boolean;
}

type UnusableResponse =
	| { kind: 'unexpected'; expected: string; received: string; advice?: string }
	/** The service shows that it did not do what it should: both are sentences, the first without its period. */
	| { kind: 'undone'; problem: string; advice: string };

export type RequestFailure =
	| StatusFailure
	| ((NetworkFailure | UnusableResponse) & { status?: undefined; retryAfter?: undefined });

/** Thrown while a request is sent and its response read, and caught by the client alone. */
export class RequestError extends Error {
	constructor(readonly failure: RequestFailure) {
		super(failure.kind);
	}
}

/** What a message calls a record. */
export const RECORD_NAMES = {
	container: 'container',
	contact: 'contact',
	request: 'file request',
};

export type RecordKind = keyof typeof RECORD_NAMES;

/** What a request creates, which is not to be created twice. */
type Creation = 'container' | 'request';

export interface RequestSubject {
	action: string;
	containerId?: string;
	contactEmail?: string;
	requestId?: string;
	/** The name of the container, or of the file request. */
	recordName?: string;
	creates?: Creation;
	isChange?: boolean;
	origin: string;
	attempts?: number;
	/** From before this attempt. */
	doubt?: Doubt;
}

/** The record that a request is about; undefined where it is about none, or about several. */
export function findSubject({ containerId, contactEmail, requestId }: Partial<RequestSubject>) {
	const ids = { container: containerId, contact: contactEmail, request: requestId };
	for (const [kind, id] of Object.entries(ids)) {
		if (id) return { kind: kind as RecordKind, id };
	}
	return undefined;
}

/** What the service might have done although the request failed, or one before it that it belongs to. */
export interface Doubt {
	/** A record that it might have created, or a change that it might have made. */
	what: Creation | 'change';
	/** Whether the service recognizes the request if it comes again. */
	isRecognized?: boolean;
	/** Whether it is about a request before this one. */
	isEarlier?: boolean;
}

interface DoubtfulRequest {
	creates?: Creation;
	isChange?: boolean;
	/** Whether the service recognizes the request if it comes again. */
	isRecognized?: boolean;
}

export function findDoubt(
	failure: RequestFailure,
	{ creates, isChange, isRecognized }: DoubtfulRequest,
): Doubt | undefined {
	if (!mightBeDone(failure)) return undefined;
	if (creates !== undefined) return { what: creates, isRecognized };
	return isChange && failure.kind !== 'undone' ? { what: 'change' } : undefined;
}

function mightBeDone(failure: RequestFailure): boolean {
	// A proxy or the service can also break TLS after it read the request.
	if (failure.kind === 'network') {
		return !failure.isIncomplete && !/^(unreachable|certificate)$/.test(failure.reason);
	}
	if (failure.kind !== 'status') return true;
	const { status, isUnsent, isInProgress } = failure;
	// With a redirect to another page, a service can also answer what it carried out.
	return !isUnsent && (isInProgress === true || [302, 303, 408].includes(status) || status >= 500);
}

export function isRejectedForNow(failure: RequestFailure): failure is StatusFailure {
	if (failure.kind !== 'status') return false;
	const { status, isPasswordLimit } = failure;
	return (status === 429 && !isPasswordLimit) || status === 503;
}

/** Whether the service says that the record does not exist (any more). A proxy, which knows no record, writes HTML. */
export function isMissingRecord(failure: RequestFailure): boolean {
	return (failure.status === 404 || failure.status === 410) && !failure.isHtml;
}

export interface RetryLimits {
	attempts: number;
	maxRetries: number;
	idempotent: boolean;
	deadline?: number;
}

/** How a request is sent again: after how many milliseconds, and whether every request with the credential waits. */
export interface Retry {
	delay: number;
	pauseAll: boolean;
}

export function getRetryDecision(failure: RequestFailure, limits: RetryLimits): Retry | undefined {
	const { attempts, maxRetries, idempotent, deadline = Infinity } = limits;
	const isRetryable = isTemporary(failure) && (idempotent || !mightBeDone(failure));
	if (attempts > maxRetries || !isRetryable) return undefined;
	const isInProgress = failure.kind === 'status' && failure.isInProgress;
	const isLimit = failure.status === 429;
	// Services count requests by the minute: five retries of a rejected one take longer.
	const backoff = BASE_DELAY * 2 ** (isLimit ? attempts : attempts - 1) * (1 + Math.random() / 2);
	const requested = getRequestedDelay(failure);
	// A limit that asks for no delay at all, time after time, would otherwise use up every retry at once.
	const backsOff = requested === undefined || (requested < BASE_DELAY && attempts > 1);
	const delay = backsOff ? Math.min(MAX_BACKOFF, backoff) : requested;
	if (delay > MAX_RETRY_AFTER || Date.now() + delay > deadline) return undefined;
	return { delay, pauseAll: isLimit || (requested !== undefined && !isInProgress) };
}

/** Whether the same request can succeed later, without anybody doing something. */
export function isTemporary(failure: RequestFailure): boolean {
	if (failure.kind === 'network') return /^(unreachable|timeout|reset)$/.test(failure.reason);
	if (failure.kind !== 'status') return false;
	const { status, isInProgress, isPasswordLimit } = failure;
	if (isPasswordLimit) return false;
	// Content delivery networks have codes of their own for an outage, from 520 on.
	return isInProgress === true || [408, 429, 502, 503, 504].includes(status) || status >= 520;
}

/** Milliseconds that the service asks to wait before the next request. */
export function getRequestedDelay(failure: RequestFailure): number | undefined {
	const isInProgress = failure.kind === 'status' && failure.isInProgress === true;
	const saysWhen = isInProgress || isRejectedForNow(failure);
	return saysWhen ? parseRetryAfter(failure.retryAfter) : undefined;
}

/** Parses a Retry-After header (RFC 9110, 10.2.3): seconds, or a date. Returns milliseconds. */
function parseRetryAfter(value = ''): number | undefined {
	const text = value.trim();
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** Why a request failed, for n8n's scheduler: whether the next poll should come later, or somebody must act first. */
export function getFailureCause(failure: RequestFailure): Failure | undefined {
	const { status } = failure;
	if (status === 401) return { cause: 'credential-invalid' };
	if (failure.kind === 'network' && /^(certificate|tls)$/.test(failure.reason)) {
		return { cause: 'configuration-invalid' };
	}
	if (status !== undefined && ![408, 429].includes(status) && status < 500) return undefined;
	const cause = status === 429 ? 'rate-limited' : 'temporarily-unavailable';
	return { cause, retryAfterMs: parseRetryAfter(failure.retryAfter) };
}

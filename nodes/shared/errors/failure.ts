import type { Failure } from 'n8n-workflow';

/** Why a request got no response. */
export type NetworkErrorReason =
	| 'refused'
	| 'nameNotFound'
	/** The connection broke before it was secure. */
	| 'handshake'
	| 'certificate'
	/** For want of a client certificate, or of a common version of TLS. */
	| 'tlsRefused'
	| 'reset'
	| 'timeout'
	| 'cancelled'
	/** The response came, but not all of the request was read. */
	| 'early'
	| 'notHttps'
	| 'proxy'
	| 'other';

/** How a request failed. */
export type RequestFailure =
	| {
			kind: 'status';
			status: number;
			/** Whether the body is a page or text, as no API sends it. */
			isPage?: boolean;
			isHtml?: boolean;
			serviceMessage?: string;
			location?: string;
			retryAfter?: string;
	  }
	| (FailureWithoutStatus & { status?: undefined; retryAfter?: undefined });

type FailureWithoutStatus =
	| {
			kind: 'network';
			reason: NetworkErrorReason;
			code: string;
			/** Where the connection failed: not the service's own where a proxy is set. */
			port?: number;
			host?: string;
			/** The time for the whole response, where it was over. */
			seconds?: number;
	  }
	/** The status was one of success, but the body was cut off or can't be read. */
	| { kind: 'lostBody' }
	/** The response is larger than the node accepts. */
	| { kind: 'tooLarge'; received: string }
	| { kind: 'html'; title?: string }
	| { kind: 'invalidJson'; reason: string }
	| { kind: 'unexpected'; expected: string; received: string; advice?: string };

/** What a failed request was about, for its message. */
export interface RequestSubject {
	/** What the request does, in words that follow "to": "get the container". */
	action: string;
	containerId?: string;
	/** Where it is known. */
	containerName?: string;
	contactEmail?: string;
	/** The user in the path, where it is not that of the API key. */
	chosenUser?: string;
	/** Bytes. */
	uploadSize?: number;
	createsContainer?: boolean;
	/** Whether the request changes or deletes something. */
	isChange?: boolean;
	/** Of the base URL. */
	origin: string;
	attempts: number;
	/** Whether a proxy is set in the Request Options. */
	hasProxy?: boolean;
}

/** Whether the service might have carried out the failed request. */
export function isOutcomeUnknown(failure: RequestFailure): boolean {
	switch (failure.kind) {
		case 'status':
			// With a redirect to another page, a service can also answer what it carried out.
			return [302, 303, 408].includes(failure.status) || failure.status >= 500;
		case 'network':
			return ['reset', 'timeout', 'other', 'cancelled', 'early'].includes(failure.reason);
		default:
			return true;
	}
}

/** Whether the service says that the record does not exist (any more). A proxy, which knows no record, writes HTML. */
export function isMissingRecord(failure: RequestFailure): boolean {
	return (failure.status === 404 || failure.status === 410) && !failure.isHtml;
}

/**
 * Why a request failed, as n8n's scheduler wants to know: whether the next poll should come later, or somebody must act
 * first. Undefined where the response does not tell.
 *
 * @param retryAfterMs the wait that the service asks for
 */
export function getFailureCause(
	failure: RequestFailure,
	retryAfterMs?: number,
): Failure | undefined {
	const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
	const { status } = failure;
	if (status === 401) return { cause: 'credential-invalid' };
	if (status === 429) return { cause: 'rate-limited', ...wait };
	if (status !== undefined && status !== 408 && status < 500) return undefined;
	const mustAct = ['certificate', 'tlsRefused', 'notHttps'];
	return failure.kind === 'network' && mustAct.includes(failure.reason)
		? { cause: 'configuration-invalid' }
		: { cause: 'temporarily-unavailable', ...wait };
}

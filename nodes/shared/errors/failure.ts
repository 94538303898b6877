/** Why a request got no response. */
export type NetworkErrorReason =
	| 'refused'
	| 'nameNotFound'
	| 'certificate'
	| 'clientCertificate'
	| 'tlsVersion'
	| 'reset'
	| 'timeout'
	| 'cancelled'
	| 'notHttps'
	| 'other';

/** How a request failed. */
export type RequestFailure =
	| {
			kind: 'status';
			status: number;
			serviceMessage?: string;
			location?: string;
			retryAfter?: string;
	  }
	| { kind: 'network'; reason: NetworkErrorReason; code: string }
	| { kind: 'html'; title?: string }
	| { kind: 'invalidJson'; reason: string }
	| { kind: 'unexpected'; expected: string; received: string };

/** Whether the service might have carried out the failed request. */
export function isOutcomeUnknown(failure: RequestFailure): boolean {
	switch (failure.kind) {
		case 'status':
			return failure.status === 408 || failure.status >= 500;
		case 'network':
			return ['reset', 'timeout', 'other'].includes(failure.reason);
		default:
			return true;
	}
}

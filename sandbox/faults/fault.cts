import type { HostileBody } from './hostileBodies.cts';

/** Which requests a fault applies to. Without any of these: the next one. */
export interface FaultMatch {
	method?: string;
	/** Matches the path and query as sent, with the base path. */
	path?: RegExp;
	/** How many requests; 1 by default, or Infinity with `probability`. */
	times?: number;
	/** The first matching request, counted from 1. */
	nth?: number;
	/** For each matching request, from 0 to 1. */
	probability?: number;
	/** The same seed leads to the same choices. */
	seed?: number;
	/**
	 * `arrival`: before the key is checked and the body is read. `body`: after the body is read, with no effect.
	 * `effect`: after the request has its effect (an unknown outcome for the client).
	 */
	when?: 'arrival' | 'body' | 'effect';
}

/** What happens to a request. In brackets: the default of `when`. */
export type FaultKind =
	/** [body] A response with this status, and the service's own error body by default. */
	| {
			kind: 'status';
			status: number;
			body?: string;
			contentType?: string;
			headers?: Record<string, string>;
	  }
	/** [arrival] The connection is reset, or with `afterBytes` after that many bytes of the body. */
	| { kind: 'reset'; afterBytes?: number }
	/** [effect] Headers and half of the response, then the connection is reset. */
	| { kind: 'resetInResponse' }
	/** [effect] Less than the Content-Length, then the connection ends. */
	| { kind: 'halfResponse' }
	/** [effect] The response arrives after this time. */
	| { kind: 'stallHeaders'; ms: number }
	/** [effect] Half of the response arrives at once, the rest after this time. */
	| { kind: 'stallBody'; ms: number }
	/** [body] No response, ever. */
	| { kind: 'never' }
	/** [body] The HTML page of the portal with status 200. */
	| { kind: 'webPage' }
	/** [body] A redirect; 302 by default. */
	| { kind: 'redirect'; location: string; status?: number }
	/** [effect] Half of the JSON, in a valid HTTP message. */
	| { kind: 'cutJson' }
	/** [effect] The response with another Content-Type. */
	| { kind: 'wrongType'; contentType: string }
	/** [body] This body, as JSON with 200 by default. */
	| { kind: 'body'; body: string; status?: number; contentType?: string }
	/** [body] A body that every client must survive; 200 by default. */
	| { kind: 'hostile'; body: HostileBody; status?: number }
	/** [body] An error that repeats the headers and body of the request, with their secrets; 400 by default. */
	| { kind: 'echo'; status?: number };

export type Fault = FaultMatch & FaultKind;
export type FaultStage = NonNullable<FaultMatch['when']>;

const LATE_KINDS: ReadonlySet<Fault['kind']> = new Set([
	'resetInResponse',
	'halfResponse',
	'stallHeaders',
	'stallBody',
	'cutJson',
	'wrongType',
]);

export function getStage(fault: Fault): FaultStage {
	if (fault.when !== undefined) return fault.when;
	if (fault.kind === 'reset') return fault.afterBytes === undefined ? 'arrival' : 'body';
	return LATE_KINDS.has(fault.kind) ? 'effect' : 'body';
}

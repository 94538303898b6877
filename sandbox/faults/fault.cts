import type { HostileBody } from './hostile-bodies.cts';

/** Which requests a fault meets. Without any of these: the next one. */
export interface FaultMatch {
	method?: string;
	/** Tested against the path and query as sent, base path included. */
	path?: RegExp;
	/** How many requests it meets; one, or Infinity. With `probability` Infinity unless given. */
	times?: number;
	/** Counts the matching requests from 1; the fault begins with this one. */
	nth?: number;
	/** Chance of each matching request, from 0 to 1. */
	probability?: number;
	/** Makes the same choices in each run. */
	seed?: number;
	/**
	 * `arrival`: before the key is checked and the body is read. `body`: once the body was taken, with no effect.
	 * `effect`: after the request did what it asks for (an unclear outcome for the client).
	 */
	when?: 'arrival' | 'body' | 'effect';
}

/** What happens to a request; in brackets when, unless `when` says it. */
export type FaultKind =
	/** [body] An answer with this status; without a body the service's own error body. */
	| {
			kind: 'status';
			status: number;
			body?: string;
			contentType?: string;
			headers?: Record<string, string>;
	  }
	/** [arrival] The connection is reset; after that many bytes of the body where `afterBytes` is given. */
	| { kind: 'reset'; afterBytes?: number }
	/** [effect] Headers and half of the answer, then the connection is reset. */
	| { kind: 'resetInAnswer' }
	/** [effect] A Content-Length greater than what follows, then the connection ends. */
	| { kind: 'halfAnswer' }
	/** [effect] The answer comes after this time. */
	| { kind: 'stallHeaders'; ms: number }
	/** [effect] Half of the answer comes at once, the rest after this time. */
	| { kind: 'stallBody'; ms: number }
	/** [body] No answer, ever. */
	| { kind: 'never' }
	/** [body] The portal's page with status 200. */
	| { kind: 'webPage' }
	/** [body] A redirect; 302 unless given. */
	| { kind: 'redirect'; location: string; status?: number }
	/** [effect] The answer's JSON is cut off in its middle; the HTTP message is sound. */
	| { kind: 'cutJson' }
	/** [effect] The answer with another Content-Type. */
	| { kind: 'wrongType'; contentType: string }
	/** [body] This body, as JSON with 200 unless given. */
	| { kind: 'body'; body: string; status?: number; contentType?: string }
	/** [body] A body that no client should choke on. */
	| { kind: 'hostile'; body: HostileBody; status?: number }
	/** [body] An error that repeats the request's headers and body, the secrets in them too; 400 unless given. */
	| { kind: 'echo'; status?: number };

export type Fault = FaultMatch & FaultKind;
export type FaultStage = NonNullable<FaultMatch['when']>;

const LATE_KINDS: ReadonlySet<Fault['kind']> = new Set([
	'resetInAnswer',
	'halfAnswer',
	'stallHeaders',
	'stallBody',
	'cutJson',
	'wrongType',
]);

/** @returns when the fault strikes */
export function stageOf(fault: Fault): FaultStage {
	if (fault.when !== undefined) return fault.when;
	if (fault.kind === 'reset') return fault.afterBytes === undefined ? 'arrival' : 'body';
	return LATE_KINDS.has(fault.kind) ? 'effect' : 'body';
}

const BASE_DELAY = 1000;
const BACKOFF_LIMIT = 60_000;
const MAX_RETRY_AFTER = 3_600_000;

/** How a request ended: with an answer, or without one. */
export type Outcome =
	| { kind: 'answer'; status: number; retryAfter?: string }
	| { kind: 'noAnswer'; reason: NetworkErrorReason };

/** Why there was no answer; `neverSent` is what the service cannot have taken. */
export type NetworkErrorReason =
	| 'refused'
	| 'nameNotFound'
	| 'certificate'
	| 'reset'
	| 'timeout'
	| 'cancelled'
	| 'notHttps'
	| 'other';

/** What to do next: give up, wait alone, or wait together with every other request of the run. */
export type RetryDecision =
	{ next: 'stop' } | { next: 'wait'; milliseconds: number; together: boolean };

/**
 * Whether the service may have carried the request out although it gave no usable answer.
 *
 * @param outcome how the request ended
 * @returns true after a reset, a time-out or a gateway's 502 or 504, where nobody knows
 */
export function isUnclear(outcome: Outcome): boolean {
	if (outcome.kind === 'answer') return outcome.status === 502 || outcome.status === 504;
	return outcome.reason === 'reset' || outcome.reason === 'timeout' || outcome.reason === 'other';
}

/**
 * Decides whether a request is sent again, and when.
 *
 * A request that makes something (`repeatable` false) is only sent again when the service cannot have taken it.
 *
 * @param outcome how the last try ended
 * @param tried how many tries were made before this one, from 0
 * @param maxRetries how many more tries the user allows at the most
 * @param repeatable whether sending the request twice has the effect of sending it once (GET, PATCH, DELETE)
 * @param random a number from 0 to below 1, for the jitter
 * @param now the present, in milliseconds since 1970, to which a Retry-After date is compared
 * @returns the decision; waits are in milliseconds
 */
export function getRetryDecision(
	outcome: Outcome,
	{
		tried,
		maxRetries,
		repeatable,
		random = Math.random(),
		now = Date.now(),
	}: { tried: number; maxRetries: number; repeatable: boolean; random?: number; now?: number },
): RetryDecision {
	if (tried >= maxRetries || !isRetryable(outcome, repeatable)) return { next: 'stop' };
	const backOff = Math.min(BACKOFF_LIMIT, BASE_DELAY * 2 ** tried * (1 + random / 2));
	if (outcome.kind === 'noAnswer') return { next: 'wait', milliseconds: backOff, together: false };
	const asked =
		outcome.status === 429 || outcome.status === 503
			? parseRetryAfter(outcome.retryAfter, now)
			: undefined;
	if (asked !== undefined && asked > MAX_RETRY_AFTER) return { next: 'stop' };
	// A limit that asks for no wait at all, time after time, would otherwise use up every try at once.
	const wait = asked === undefined || (asked < BASE_DELAY && tried > 0) ? backOff : asked;
	return {
		next: 'wait',
		milliseconds: wait,
		together: outcome.status === 429 || asked !== undefined,
	};
}

/**
 * Reads a Retry-After header (RFC 9110, 10.2.3).
 *
 * @param value the header: seconds, or a date
 * @param now the present, in milliseconds since 1970
 * @returns how long to wait in milliseconds, or undefined when the header is missing or says nothing
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
	const text = value?.trim() ?? '';
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function isRetryable(outcome: Outcome, repeatable: boolean): boolean {
	if (outcome.kind === 'answer') {
		if (outcome.status === 429 || outcome.status === 503) return true;
		return repeatable && (outcome.status === 502 || outcome.status === 504);
	}
	if (outcome.reason === 'refused' || outcome.reason === 'nameNotFound') return true;
	return repeatable && (outcome.reason === 'reset' || outcome.reason === 'timeout');
}

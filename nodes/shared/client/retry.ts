import type { RequestFailure } from '../errors/failure';
import {
	isInProgress,
	isOutcomeUnknown,
	isRejectedForNow,
	isTemporary,
	parseRetryAfter,
} from '../errors/failure';

const BASE_DELAY = 1000;
const BACKOFF_LIMIT = 60_000;
const MAX_RETRY_AFTER = 3_600_000;

/**
 * Decides whether a request is sent again, and when. One that is not idempotent is sent again only when the service
 * can't have accepted it.
 *
 * @param options.attempts with the one that failed
 * @returns the milliseconds until then, and whether every request with the credential waits
 */
export function getRetryDecision(
	failure: RequestFailure,
	options: { attempts: number; maxRetries: number; idempotent: boolean },
): { delay: number; pauseAll: boolean } | undefined {
	const { attempts, maxRetries, idempotent } = options;
	const isRetryable = isTemporary(failure) && (idempotent || !isOutcomeUnknown(failure));
	if (attempts > maxRetries || !isRetryable) return undefined;
	// Services count requests by the minute: five retries of a rejected one take longer.
	const doublings = failure.status === 429 ? attempts : attempts - 1;
	const backoff = BASE_DELAY * 2 ** doublings * (1 + Math.random() / 2);
	const isWaiting = isInProgress(failure);
	const saysWhen = isWaiting || isRejectedForNow(failure);
	const requested = saysWhen ? parseRetryAfter(failure.retryAfter) : undefined;
	if ((requested ?? 0) > MAX_RETRY_AFTER) return undefined;
	// A limit that asks for no delay at all, time after time, would otherwise use up every retry at once.
	const backsOff = requested === undefined || (requested < BASE_DELAY && attempts > 1);
	return {
		delay: backsOff ? Math.min(BACKOFF_LIMIT, backoff) : requested,
		pauseAll: !isWaiting && (failure.status === 429 || requested !== undefined),
	};
}

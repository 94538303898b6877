import { ServiceError } from './responses.cts';
import type { RateLimit } from './settings.cts';

const MINUTE_MS = 60_000;

/** Counts the requests of each key against the current limit. */
export class RateLimiter {
	/** What each key has left, and since when: the start of the window, or the last request. */
	private readonly allowances = new Map<string, { remaining: number; since: number }>();

	/** @throws ServiceError 429 when the key has no request left */
	take(key: string, limit: RateLimit | null, now = Date.now()): void {
		if (limit === null) return;
		const { perMinute, algorithm, retryAfter, windowMs = MINUTE_MS } = limit;
		const allowance = this.allowances.get(key) ?? { remaining: perMinute, since: now };
		this.allowances.set(key, allowance);
		const passed = now - allowance.since;
		const perMs = perMinute / windowMs;
		if (algorithm === 'bucket') {
			// A bucket fills evenly.
			allowance.remaining = Math.min(perMinute, allowance.remaining + passed * perMs);
			allowance.since = now;
		} else if (passed >= windowMs) {
			Object.assign(allowance, { remaining: perMinute, since: now });
		}
		if (allowance.remaining >= 1) {
			allowance.remaining -= 1;
			return;
		}
		const waitMs = algorithm === 'bucket' ? (1 - allowance.remaining) / perMs : windowMs - passed;
		// Whole seconds (RFC 9110, 10.2.3), rounded up so that a retry then succeeds.
		const seconds = Math.max(1, Math.ceil(waitMs / 1000));
		throw new ServiceError(
			429,
			'rate_limited',
			`Too many requests: the limit is ${perMinute} per minute`,
			retryAfter === 'none' ? {} : { 'retry-after': String(seconds) },
		);
	}

	clear(): void {
		this.allowances.clear();
	}
}

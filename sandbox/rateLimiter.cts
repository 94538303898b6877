import { ServiceError } from './responses.cts';
import type { RateLimit } from './settings.cts';

/** Counts the requests of each key against the current limit. */
export class RateLimiter {
	/** What each key has left, and since when. */
	private readonly allowances = new Map<string, { remaining: number; since: number }>();

	/** @throws ServiceError 429 when the key has no request left */
	take(key: string, limit: RateLimit | null): void {
		if (limit === null) return;
		const { perMinute, windowMs = 60_000 } = limit;
		const now = Date.now();
		const known = this.allowances.get(key);
		const isOver = known === undefined || now - known.since >= windowMs;
		const allowance = isOver ? { remaining: perMinute, since: now } : known;
		this.allowances.set(key, allowance);
		allowance.remaining -= 1;
		if (allowance.remaining >= 0) return;
		// Whole seconds (RFC 9110, 10.2.3), rounded up so that a retry then succeeds.
		const seconds = Math.max(1, Math.ceil((windowMs - (now - allowance.since)) / 1000));
		const message = `Too many requests: the limit is ${perMinute} per minute`;
		throw new ServiceError(429, 'rate_limited', message, { 'retry-after': String(seconds) });
	}

	clear(): void {
		this.allowances.clear();
	}
}

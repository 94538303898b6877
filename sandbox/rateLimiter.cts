import { ServiceError } from './responses.cts';

const WINDOW_MS = 60_000;

/** Counts the requests of each key in a minute. */
export class RateLimiter {
	/** What each key has used, and since when. */
	private readonly used = new Map<string, { requests: number; since: number }>();

	/** @throws ServiceError 429 when the key has no request left; a limit of 0 is none */
	take(key: string, perMinute: number): void {
		if (perMinute === 0) return;
		const now = Date.now();
		let use = this.used.get(key);
		if (use === undefined || now - use.since >= WINDOW_MS) use = { requests: 0, since: now };
		this.used.set(key, use);
		use.requests += 1;
		if (use.requests <= perMinute) return;
		// Whole seconds (RFC 9110, 10.2.3), rounded up so that a retry then succeeds.
		const seconds = Math.ceil((WINDOW_MS - (now - use.since)) / 1000);
		const message = `Too many requests: the limit is ${perMinute} per minute`;
		throw new ServiceError(429, 'rate_limited', message, { 'retry-after': String(seconds) });
	}

	clear(): void {
		this.used.clear();
	}
}

import { ServiceError } from './errors.cts';
import type { RateLimit } from '../settings.cts';

const MINUTE_MS = 60_000;

interface Allowance {
	/** Requests that are left. */
	remaining: number;
	/** Start of the window, or when the bucket was last filled. */
	since: number;
}

/** Counts the requests of each key against the current limit. */
export class RateLimiter {
	private readonly allowances = new Map<string, Allowance>();

	/** @throws ServiceError 429 when the key has no request left */
	take(key: string, limit: RateLimit | null, now = Date.now()): void {
		if (limit === null) return;
		const waitMs =
			limit.algorithm === 'bucket'
				? this.takeFromBucket(key, limit, now)
				: this.takeFromWindow(key, limit, now);
		if (waitMs === 0) return;
		throw new ServiceError(
			429,
			'rate_limited',
			`Too many requests: the limit is ${limit.perMinute} per minute`,
			retryAfter(limit, waitMs, now),
		);
	}

	clear(): void {
		this.allowances.clear();
	}

	/** Fixed window: it starts with a key's first request. @returns milliseconds to wait */
	private takeFromWindow(key: string, limit: RateLimit, now: number): number {
		const windowMs = limit.windowMs ?? MINUTE_MS;
		let allowance = this.allowances.get(key);
		if (allowance === undefined || now >= allowance.since + windowMs) {
			allowance = { remaining: limit.perMinute, since: now };
			this.allowances.set(key, allowance);
		}
		if (allowance.remaining < 1) return Math.max(1, allowance.since + windowMs - now);
		allowance.remaining -= 1;
		return 0;
	}

	/** Token bucket: it fills evenly. @returns milliseconds to wait */
	private takeFromBucket(key: string, limit: RateLimit, now: number): number {
		const perMs = limit.perMinute / (limit.windowMs ?? MINUTE_MS);
		let allowance = this.allowances.get(key);
		if (allowance === undefined) {
			allowance = { remaining: limit.perMinute, since: now };
			this.allowances.set(key, allowance);
		}
		allowance.remaining = Math.min(
			limit.perMinute,
			allowance.remaining + (now - allowance.since) * perMs,
		);
		allowance.since = now;
		if (allowance.remaining < 1) return Math.max(1, Math.ceil((1 - allowance.remaining) / perMs));
		allowance.remaining -= 1;
		return 0;
	}
}

/** Whole seconds in both forms (RFC 9110, 10.2.3), rounded up so that a retry then succeeds. */
function retryAfter(limit: RateLimit, waitMs: number, now: number): Record<string, string> {
	switch (limit.retryAfter) {
		case 'none':
			return {};
		case 'date':
			return { 'retry-after': new Date(Math.ceil((now + waitMs) / 1000) * 1000).toUTCString() };
		default:
			return { 'retry-after': String(Math.ceil(waitMs / 1000)) };
	}
}

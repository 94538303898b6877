import { ServiceError } from './errors.cts';
import type { RateLimit } from '../settings.cts';

const MINUTE_MS = 60_000;

interface Allowance {
	/** What is left, in requests. */
	left: number;
	/** Start of the window, or when the bucket was last filled up. */
	since: number;
}

/** Counts the requests of each key against the limit that the settings give at the time. */
export class RateLimiter {
	private readonly allowances = new Map<string, Allowance>();

	/** @throws ServiceError 429 when the key has used up what it may */
	take(key: string, limit: RateLimit | null, now = Date.now()): void {
		if (limit === null) return;
		const waitMs =
			limit.algorithm === 'bucket' ? this.drop(key, limit, now) : this.tick(key, limit, now);
		if (waitMs === 0) return;
		throw new ServiceError(
			429,
			'rate_limited',
			`Too many requests: ${limit.perMinute} a minute are allowed`,
			retryAfter(limit, waitMs, now),
		);
	}

	clear(): void {
		this.allowances.clear();
	}

	/** Fixed window: it starts with a key's first request. @returns milliseconds to wait, 0 to go on */
	private tick(key: string, limit: RateLimit, now: number): number {
		const windowMs = limit.windowMs ?? MINUTE_MS;
		let allowance = this.allowances.get(key);
		if (allowance === undefined || now >= allowance.since + windowMs) {
			allowance = { left: limit.perMinute, since: now };
			this.allowances.set(key, allowance);
		}
		if (allowance.left < 1) return Math.max(1, allowance.since + windowMs - now);
		allowance.left -= 1;
		return 0;
	}

	/** Token bucket: it fills evenly. @returns milliseconds to wait, 0 to go on */
	private drop(key: string, limit: RateLimit, now: number): number {
		const perMs = limit.perMinute / (limit.windowMs ?? MINUTE_MS);
		let allowance = this.allowances.get(key);
		if (allowance === undefined) {
			allowance = { left: limit.perMinute, since: now };
			this.allowances.set(key, allowance);
		}
		allowance.left = Math.min(limit.perMinute, allowance.left + (now - allowance.since) * perMs);
		allowance.since = now;
		if (allowance.left < 1) return Math.max(1, Math.ceil((1 - allowance.left) / perMs));
		allowance.left -= 1;
		return 0;
	}
}

/** Whole seconds either way (RFC 9110, 10.2.3), rounded up so that who comes back then is served. */
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

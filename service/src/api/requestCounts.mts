interface Window {
	/** When it began. */
	start: number;
	count: number;
}

type Counted = (error: Error | null, counted: { current: number; ttl: number }) => void;

/** Counts the requests of each API key in windows of time, as a store of @fastify/rate-limit. */
export class RequestCounts {
	private readonly windows = new Map<string, Window>();

	incr(keyId: string, done: Counted, milliseconds: number): void {
		const now = Date.now();
		const known = this.windows.get(keyId);
		const isOver = known === undefined || known.start + milliseconds <= now;
		const window = isOver ? { start: now, count: 0 } : known;
		window.count += 1;
		this.windows.set(keyId, window);
		done(null, { current: window.count, ttl: window.start + milliseconds - now });
	}

	/** As if a request had not come. */
	takeBack(keyId: string, sentAt: number): void {
		const window = this.windows.get(keyId);
		if (window !== undefined && window.start <= sentAt) window.count -= 1;
	}

	child(): this {
		return this;
	}
}

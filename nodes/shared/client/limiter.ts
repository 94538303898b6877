import type { RequestFailure } from '../errors/failure';
import { hashConnection, type Connection } from './connection';
import { delay, onAbort } from './delay';

/** How long a service can reject all requests for their number, in milliseconds. */
const MAX_REJECTED = 600_000;

/** Until when the service wants no requests with a credential, from any execution of this process. */
const pauses = new Map<string, number>();

interface Limits {
	connection: Connection;
	concurrency: number;
	/** Rejects all that wait, now or later, with its reason. Requests in flight end by themselves. */
	signal: AbortSignal;
}

/**
 * How many requests of one execution run at a time with one credential. While the service asks for a pause, none starts.
 * After it, one request goes through, then one more with each success, so that few requests are rejected.
 */
export class Limiter {
	/** Milliseconds for which the service held requests back. */
	heldBack = 0;
	/** How the service refused all requests for longer than an execution waits: no more are sent. */
	refusal?: RequestFailure;
	readonly signal: AbortSignal;
	/** How often the service rejected requests for their number since it last accepted one, and since when. */
	private rejections = 0;
	private rejectedSince = 0;
	private inFlight = 0;
	private slots: number;
	private readonly key: string;
	private isPaused = false;
	private readonly waiting: Array<() => void> = [];

	constructor(private readonly limits: Limits) {
		this.signal = limits.signal;
		this.slots = limits.concurrency;
		this.key = hashConnection(limits.connection);
		onAbort(this.signal, () => this.next());
	}

	/** @throws what the task throws, or the reason of the signal */
	async run<T>(task: () => Promise<T>): Promise<T> {
		await new Promise<void>((start) => {
			this.waiting.push(start);
			this.next();
		});
		try {
			// Who waited at the end starts only to find that out.
			this.signal.throwIfAborted();
			return await task();
		} finally {
			this.inFlight -= 1;
			this.next();
		}
	}

	/** After a pause, one more can run at the same time. */
	onSuccess(): void {
		// A request from before the pause does not show that the pause is over.
		if (this.isPaused) return;
		this.rejections = 0;
		this.slots = Math.min(this.slots + 1, this.limits.concurrency);
		this.next();
	}

	/** Notes a rejection. @returns whether they went on for longer than most services count: each item would wait anew */
	onRejection(maxRetries: number): boolean {
		if (this.rejections === 0) this.rejectedSince = Date.now();
		this.rejections += 1;
		return this.rejections > maxRetries && Date.now() - this.rejectedSince >= MAX_REJECTED;
	}

	/** Pauses every request with the credential that is not in flight yet. */
	pauseFor(milliseconds: number): void {
		const { key } = this;
		pauses.set(key, Math.max(pauses.get(key) ?? 0, Date.now() + milliseconds));
		this.pause(milliseconds);
	}

	private pause(milliseconds: number): void {
		if (this.isPaused) return;
		this.isPaused = true;
		this.slots = 1;
		const start = Date.now();
		const resume = () => {
			this.isPaused = false;
			this.heldBack += Date.now() - start;
			this.next();
		};
		void delay(milliseconds, this.signal).then(resume, () => undefined);
	}

	/** Starts what can start; at the end, all that waits. */
	private next(): void {
		const { key } = this;
		while (this.waiting.length > 0) {
			const left = (pauses.get(key) ?? 0) - Date.now();
			if (left <= 0) pauses.delete(key);
			if (!this.signal.aborted) {
				if (left > 0) return this.pause(left);
				if (this.inFlight >= this.slots) return;
			}
			this.inFlight += 1;
			this.waiting.shift()?.();
		}
	}
}

import type { RequestFailure } from '../errors/failure';
import { delay, onAbort } from './delay';

/** How long a service can reject all requests for their number, in milliseconds. */
const MAX_REJECTED = 600_000;

/**
 * How many requests with one credential run at a time, with one pause for all of them while the service asks for it. After
 * a pause, one request goes through, then one more with each success, so that few requests are rejected.
 */
export class Pace {
	/** Milliseconds for which the service held requests back. */
	heldBack = 0;
	/** After an outage. */
	retries = 0;
	/** How the service refused all requests for longer than an execution waits: no more are sent. */
	refusal?: RequestFailure;
	/** How often the service rejected requests for their number since it last accepted one, and since when. */
	private rejections = 0;
	private rejectedSince = 0;
	private inFlight = 0;
	private slots: number;
	/** Those that go on: the longest counts. */
	private pauses = 0;
	private pausedUntil = 0;
	private readonly waiting: Array<() => void> = [];

	/** @param signal rejects all that wait, now or later, with its reason; requests in flight end by themselves */
	constructor(
		private readonly concurrency: number,
		readonly signal: AbortSignal,
	) {
		this.slots = concurrency;
		onAbort(signal, () => this.next());
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
		if (this.pauses > 0) return;
		this.rejections = 0;
		this.slots = Math.min(this.slots + 1, this.concurrency);
		this.next();
	}

	/** Notes a rejection. @returns whether they went on for longer than most services count: each item would wait anew */
	onRejection(maxRetries: number): boolean {
		if (this.rejections === 0) this.rejectedSince = Date.now();
		this.rejections += 1;
		return this.rejections > maxRetries && Date.now() - this.rejectedSince >= MAX_REJECTED;
	}

	/** Pauses every request that is not in flight yet. */
	pauseFor(milliseconds: number): void {
		const now = Date.now();
		const until = Math.max(this.pausedUntil, now + milliseconds);
		this.heldBack += until - Math.max(this.pausedUntil, now);
		this.pausedUntil = until;
		this.slots = 1;
		this.pauses += 1;
		const resume = () => {
			this.pauses -= 1;
			this.next();
		};
		void delay(milliseconds, this.signal).then(resume, () => undefined);
	}

	/** At the end, all that waits starts. */
	private next(): void {
		while (this.signal.aborted || (this.pauses === 0 && this.inFlight < this.slots)) {
			const start = this.waiting.shift();
			if (start === undefined) return;
			this.inFlight += 1;
			start();
		}
	}
}

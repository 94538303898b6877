import type { Retry, RetryLimits, StatusFailure } from '../errors/failure';
import { delay } from './delay';

/** Until when the service wants no requests with a credential, from any execution of this process. */
const pauses = new Map<string, number>();

/**
 * How many requests of one execution run at a time with one credential. While the service asks for a pause, none starts.
 * After it, one request goes through, then one more with each success, so that few requests are rejected.
 */
export class Limiter {
	/** Where the service rejected requests again and again, and accepted none meanwhile: no more are sent. */
	refusal?: StatusFailure;
	private rejections = 0;
	private inFlight = 0;
	/** How many can run at a time: none during a pause. */
	private slots: number;
	private readonly waiting: Array<() => void> = [];

	/** The signal rejects all that wait, now or later, with its reason; requests in flight end by themselves. */
	constructor(
		private readonly key: string,
		private readonly concurrency: number,
		readonly signal: AbortSignal,
	) {
		this.slots = concurrency;
	}

	/** Waits for a slot, which `leave` frees. @throws the reason of the signal, without a slot */
	async enter(): Promise<void> {
		await new Promise<void>((start) => {
			this.waiting.push(start);
			this.startNext();
		});
		if (!this.signal.aborted) return;
		// Who waited at the end starts only to find that out.
		this.leave();
		this.signal.throwIfAborted();
	}

	leave(): void {
		this.inFlight -= 1;
		this.startNext();
	}

	onSuccess(): void {
		// A request from before the pause does not show that the pause is over.
		if (this.slots === 0) return;
		this.rejections = 0;
		this.slots = Math.min(this.slots + 1, this.concurrency);
		this.startNext();
	}

	onRejection(failure: StatusFailure, limits: RetryLimits, retry?: Retry): void {
		const { attempts, maxRetries } = limits;
		this.rejections += 1;
		// After a pause of all, they are sent in turn: each would have its first try before any has its last.
		const isLong = retry?.pauseAll && this.rejections > maxRetries * this.concurrency;
		// Where each waits by itself, the first one without a try left ends all.
		const isLast = retry === undefined && attempts > 1 && this.rejections >= attempts;
		if (isLong || isLast) this.refusal = { ...failure, isUnsent: true };
		else if (retry?.pauseAll) {
			pauses.set(this.key, Math.max(pauses.get(this.key) ?? 0, Date.now() + retry.delay));
			this.startNext();
		}
	}

	private startNext(): void {
		const left = (pauses.get(this.key) ?? 0) - Date.now();
		if (left > 0 && this.slots > 0 && !this.signal.aborted) {
			this.slots = 0;
			const resume = () => {
				this.slots = 1;
				this.startNext();
			};
			void delay(left, this.signal).then(resume, resume);
		}
		while (this.waiting.length > 0 && (this.signal.aborted || this.inFlight < this.slots)) {
			this.inFlight += 1;
			this.waiting.shift()?.();
		}
	}
}

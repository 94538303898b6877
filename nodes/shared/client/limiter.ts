import { sleep } from 'n8n-workflow';

/** A sleep of n8n cannot be ended early: short ones leave no timer behind when a long wait is interrupted. */
const MAX_SLEEP = 1000;

interface Waiter {
	priority: number;
	isLastAttempt: boolean;
	start: () => void;
	reject: (reason: unknown) => void;
}

/**
 * Lets a bounded number of requests through at a time, first come, first served, and holds all of them back while the
 * service asks for patience. After such a pause it lets one request try first and widens again with each success, so
 * that a limit is met with few refused requests. As long as none has got through again, a request that has one try left
 * gives way to those that have more: a limit may outlast the tries of one request.
 */
export class Limiter {
	private inFlight = 0;

	private currentConcurrency: number;

	private pausedUntil = 0;

	/** Whether nothing has got through since the last pause. */
	private isRejected = false;

	/** Requests that were refused and wait for the pause to end. */
	private waitingForResume = 0;

	private readonly queue: Waiter[] = [];

	private readonly pendingDelays = new Set<(reason: unknown) => void>();

	private stoppedBy: unknown;

	/**
	 * @param concurrency requests in flight at a time, at least 1
	 * @param cancelled ends all waiting at once when it fires
	 */
	constructor(
		private readonly concurrency: number,
		private readonly cancelled?: AbortSignal,
	) {
		this.currentConcurrency = concurrency;
	}

	/**
	 * Runs a request when its priority has come.
	 *
	 * @param priority the place in the line: a lower number goes first, so a request that is tried again keeps its place
	 * @param task sends the request
	 * @param isLastAttempt whether it fails for good when it is refused once more
	 * @returns what the task answers
	 * @throws what the task throws; the reason, when the limiter is stopped or the execution is canceled before its priority
	 */
	async run<T>(priority: number, task: () => Promise<T>, isLastAttempt = false): Promise<T> {
		await this.enter(priority, isLastAttempt);
		try {
			// What was before in the line may have ended everything in the very moment in which this priority came.
			this.assertGoing();
			return await task();
		} finally {
			this.inFlight -= 1;
			this.next();
		}
	}

	/** Tells that a request got through: after a pause, one more may go along with it. */
	onSuccess(): void {
		// What left before the pause says nothing about what comes after it.
		if (Date.now() < this.pausedUntil) return;
		this.isRejected = false;
		if (this.currentConcurrency < this.concurrency) {
			this.currentConcurrency += 1;
			this.next();
		}
	}

	/**
	 * Holds back every request of the run that has not left yet.
	 *
	 * @param milliseconds how long from now
	 */
	pauseFor(milliseconds: number): void {
		this.currentConcurrency = 1;
		this.isRejected = true;
		this.pausedUntil = Math.max(this.pausedUntil, Date.now() + milliseconds);
	}

	/**
	 * Holds back every request of the run and waits until they may go on.
	 *
	 * @param milliseconds how long from now
	 * @throws the reason, when the limiter is stopped or the execution is canceled meanwhile
	 */
	async waitUntilResumed(milliseconds: number): Promise<void> {
		this.pauseFor(milliseconds);
		this.waitingForResume += 1;
		try {
			while (Date.now() < this.pausedUntil) await this.delay(this.pausedUntil - Date.now());
		} finally {
			this.waitingForResume -= 1;
			// Whoever was refused takes its place in the line again before the line moves on.
			void sleep(0).then(() => this.next());
		}
	}

	/**
	 * Waits, for one request alone.
	 *
	 * @param milliseconds how long
	 * @throws the reason, when the limiter is stopped or the execution is canceled meanwhile
	 */
	async delay(milliseconds: number): Promise<void> {
		this.assertGoing();
		let reject: (reason: unknown) => void = () => undefined;
		const interruption = new Promise<never>((_resolve, reject) => (reject = reject));
		this.pendingDelays.add(reject);
		this.listen();
		try {
			const end = Date.now() + milliseconds;
			do {
				const left = Math.min(MAX_SLEEP, end - Date.now());
				await Promise.race([sleep(left), interruption]);
			} while (Date.now() < end);
		} finally {
			this.pendingDelays.delete(reject);
			this.listen();
		}
	}

	/**
	 * Ends all waiting; requests in flight are left to end by themselves.
	 *
	 * @param reason thrown to whoever waits, now or later
	 */
	stop(reason: unknown): void {
		this.stoppedBy ??= reason;
		for (const { reject } of this.queue.splice(0)) reject(reason);
		for (const reject of this.pendingDelays) reject(reason);
		this.listen();
	}

	private async enter(priority: number, isLastAttempt: boolean): Promise<void> {
		this.assertGoing();
		if (this.queue.length === 0 && this.isOpen() && !(isLastAttempt && this.isRejected)) {
			this.inFlight += 1;
			return;
		}
		await new Promise<void>((start, reject) =>
			this.enqueue({ priority, isLastAttempt, start, reject }),
		);
	}

	private assertGoing(): void {
		if (this.stoppedBy !== undefined) throw this.stoppedBy;
		this.cancelled?.throwIfAborted();
	}

	private isOpen(): boolean {
		return this.inFlight < this.currentConcurrency && Date.now() >= this.pausedUntil;
	}

	private enqueue(waiter: Waiter): void {
		let place = this.queue.length;
		while (place > 0 && this.queue[place - 1].priority > waiter.priority) place -= 1;
		this.queue.splice(place, 0, waiter);
		this.listen();
		this.next();
	}

	private next(): void {
		while (this.queue.length > 0 && this.isOpen()) {
			const place = this.firstInLine();
			if (place === -1) return;
			this.inFlight += 1;
			this.queue.splice(place, 1)[0].start();
			this.listen();
		}
	}

	/** The place of the request whose priority it is; -1 while one with tries to spare is still about to take its place. */
	private firstInLine(): number {
		if (!this.isRejected) return 0;
		const place = this.queue.findIndex(({ isLastAttempt }) => !isLastAttempt);
		return place === -1 && this.waitingForResume === 0 ? 0 : place;
	}

	private readonly onCancel = (): void => this.stop(this.cancelled?.reason);

	/** The signal outlives the run, by far in a workflow that loops: it is listened to only while something waits. */
	private listen(): void {
		if (this.queue.length > 0 || this.pendingDelays.size > 0) {
			this.cancelled?.addEventListener('abort', this.onCancel, { once: true });
		} else {
			this.cancelled?.removeEventListener('abort', this.onCancel);
		}
	}
}

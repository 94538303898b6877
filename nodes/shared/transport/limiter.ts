import { sleep } from 'n8n-workflow';

interface Waiter {
	turn: number;
	start: () => void;
	cancel: (reason: unknown) => void;
}

/**
 * Lets a bounded number of requests through at a time, first come, first served, and holds all of them back while the
 * service asks for patience. After such a pause it lets one request try first and widens again with each success, so
 * that a limit is met with few refused requests.
 */
export class Limiter {
	private inFlight = 0;

	private width: number;

	private pausedUntil = 0;

	private readonly waiting: Waiter[] = [];

	/**
	 * @param most requests in flight at a time, at least 1
	 * @param cancelled ends all waiting at once when it fires
	 */
	constructor(
		private readonly most: number,
		private readonly cancelled?: AbortSignal,
	) {
		this.width = most;
		cancelled?.addEventListener('abort', () => this.cancelAll(), { once: true });
	}

	/**
	 * Runs a request when its turn has come.
	 *
	 * @param turn the place in the line: a lower number goes first, so a request that is tried again keeps its place
	 * @param task sends the request
	 * @returns what the task answers
	 * @throws what the task throws; the signal's reason when the execution is cancelled while waiting
	 */
	async run<T>(turn: number, task: () => Promise<T>): Promise<T> {
		await this.enter(turn);
		try {
			return await task();
		} finally {
			this.inFlight -= 1;
			this.next();
		}
	}

	/** Tells that a request got through: after a pause, one more may go along with it. */
	succeeded(): void {
		if (this.width < this.most) {
			this.width += 1;
			this.next();
		}
	}

	/**
	 * Holds back every request of the run and waits until they may go on.
	 *
	 * @param milliseconds how long from now
	 */
	async pause(milliseconds: number): Promise<void> {
		this.width = 1;
		this.pausedUntil = Math.max(this.pausedUntil, Date.now() + milliseconds);
		while (Date.now() < this.pausedUntil) await this.wait(this.pausedUntil - Date.now());
		this.next();
	}

	/**
	 * Waits, and stops waiting at once when the execution is cancelled.
	 *
	 * @param milliseconds how long
	 * @throws the signal's reason when the execution is cancelled
	 */
	async wait(milliseconds: number): Promise<void> {
		const signal = this.cancelled;
		if (signal === undefined) return await sleep(milliseconds);
		signal.throwIfAborted();
		let stop: () => void = () => undefined;
		const cancellation = new Promise<never>((_resolve, reject) => {
			stop = () => reject(signal.reason);
			signal.addEventListener('abort', stop, { once: true });
		});
		try {
			await Promise.race([sleep(milliseconds), cancellation]);
		} finally {
			signal.removeEventListener('abort', stop);
		}
	}

	private async enter(turn: number): Promise<void> {
		this.cancelled?.throwIfAborted();
		if (this.waiting.length === 0 && this.isOpen()) {
			this.inFlight += 1;
			return;
		}
		await new Promise<void>((start, cancel) => this.enqueue({ turn, start, cancel }));
	}

	private isOpen(): boolean {
		return this.inFlight < this.width && Date.now() >= this.pausedUntil;
	}

	private enqueue(waiter: Waiter): void {
		let place = this.waiting.length;
		while (place > 0 && this.waiting[place - 1].turn > waiter.turn) place -= 1;
		this.waiting.splice(place, 0, waiter);
		this.next();
	}

	private next(): void {
		while (this.waiting.length > 0 && this.isOpen()) {
			this.inFlight += 1;
			this.waiting.shift()?.start();
		}
	}

	private cancelAll(): void {
		for (const waiter of this.waiting.splice(0)) waiter.cancel(this.cancelled?.reason);
	}
}

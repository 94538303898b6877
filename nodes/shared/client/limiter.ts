import { sleep } from 'n8n-workflow';

/** A sleep of n8n cannot be ended early: short ones leave no timer behind when a long wait is interrupted. */
const MAX_SLEEP = 1000;

interface Waiter {
	turn: number;
	isLastTry: boolean;
	start: () => void;
	refuse: (reason: unknown) => void;
}

/**
 * Lets a bounded number of requests through at a time, first come, first served, and holds all of them back while the
 * service asks for patience. After such a pause it lets one request try first and widens again with each success, so
 * that a limit is met with few refused requests. As long as none has got through again, a request that has one try left
 * gives way to those that have more: a limit may outlast the tries of one request.
 */
export class Limiter {
	private inFlight = 0;

	private width: number;

	private pausedUntil = 0;

	/** Whether nothing has got through since the last pause. */
	private isRefused = false;

	/** Requests that were refused and wait for the pause to end. */
	private pausing = 0;

	private readonly line: Waiter[] = [];

	private readonly sleepers = new Set<(reason: unknown) => void>();

	private stoppedBy: unknown;

	/**
	 * @param most requests in flight at a time, at least 1
	 * @param cancelled ends all waiting at once when it fires
	 */
	constructor(
		private readonly most: number,
		private readonly cancelled?: AbortSignal,
	) {
		this.width = most;
	}

	/**
	 * Runs a request when its turn has come.
	 *
	 * @param turn the place in the line: a lower number goes first, so a request that is tried again keeps its place
	 * @param task sends the request
	 * @param isLastTry whether it fails for good when it is refused once more
	 * @returns what the task answers
	 * @throws what the task throws; the reason, when the limiter is stopped or the execution is canceled before its turn
	 */
	async run<T>(turn: number, task: () => Promise<T>, isLastTry = false): Promise<T> {
		await this.enter(turn, isLastTry);
		try {
			// What was before in the line may have ended everything in the very moment in which this turn came.
			this.assertGoing();
			return await task();
		} finally {
			this.inFlight -= 1;
			this.next();
		}
	}

	/** Tells that a request got through: after a pause, one more may go along with it. */
	succeeded(): void {
		// What left before the pause says nothing about what comes after it.
		if (Date.now() < this.pausedUntil) return;
		this.isRefused = false;
		if (this.width < this.most) {
			this.width += 1;
			this.next();
		}
	}

	/**
	 * Holds back every request of the run that has not left yet.
	 *
	 * @param milliseconds how long from now
	 */
	hold(milliseconds: number): void {
		this.width = 1;
		this.isRefused = true;
		this.pausedUntil = Math.max(this.pausedUntil, Date.now() + milliseconds);
	}

	/**
	 * Holds back every request of the run and waits until they may go on.
	 *
	 * @param milliseconds how long from now
	 * @throws the reason, when the limiter is stopped or the execution is canceled meanwhile
	 */
	async pause(milliseconds: number): Promise<void> {
		this.hold(milliseconds);
		this.pausing += 1;
		try {
			while (Date.now() < this.pausedUntil) await this.wait(this.pausedUntil - Date.now());
		} finally {
			this.pausing -= 1;
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
	async wait(milliseconds: number): Promise<void> {
		this.assertGoing();
		let refuse: (reason: unknown) => void = () => undefined;
		const interruption = new Promise<never>((_resolve, reject) => (refuse = reject));
		this.sleepers.add(refuse);
		this.listen();
		try {
			const end = Date.now() + milliseconds;
			do {
				const left = Math.min(MAX_SLEEP, end - Date.now());
				await Promise.race([sleep(left), interruption]);
			} while (Date.now() < end);
		} finally {
			this.sleepers.delete(refuse);
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
		for (const { refuse } of this.line.splice(0)) refuse(reason);
		for (const refuse of this.sleepers) refuse(reason);
		this.listen();
	}

	private async enter(turn: number, isLastTry: boolean): Promise<void> {
		this.assertGoing();
		if (this.line.length === 0 && this.isOpen() && !(isLastTry && this.isRefused)) {
			this.inFlight += 1;
			return;
		}
		await new Promise<void>((start, refuse) => this.enqueue({ turn, isLastTry, start, refuse }));
	}

	private assertGoing(): void {
		if (this.stoppedBy !== undefined) throw this.stoppedBy;
		this.cancelled?.throwIfAborted();
	}

	private isOpen(): boolean {
		return this.inFlight < this.width && Date.now() >= this.pausedUntil;
	}

	private enqueue(waiter: Waiter): void {
		let place = this.line.length;
		while (place > 0 && this.line[place - 1].turn > waiter.turn) place -= 1;
		this.line.splice(place, 0, waiter);
		this.listen();
		this.next();
	}

	private next(): void {
		while (this.line.length > 0 && this.isOpen()) {
			const place = this.firstInLine();
			if (place === -1) return;
			this.inFlight += 1;
			this.line.splice(place, 1)[0].start();
			this.listen();
		}
	}

	/** The place of the request whose turn it is; -1 while one with tries to spare is still about to take its place. */
	private firstInLine(): number {
		if (!this.isRefused) return 0;
		const place = this.line.findIndex(({ isLastTry }) => !isLastTry);
		return place === -1 && this.pausing === 0 ? 0 : place;
	}

	private readonly onCancel = (): void => this.stop(this.cancelled?.reason);

	/** The signal outlives the run, by far in a workflow that loops: it is listened to only while something waits. */
	private listen(): void {
		if (this.line.length > 0 || this.sleepers.size > 0) {
			this.cancelled?.addEventListener('abort', this.onCancel, { once: true });
		} else {
			this.cancelled?.removeEventListener('abort', this.onCancel);
		}
	}
}

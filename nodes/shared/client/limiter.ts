import { sleep } from 'n8n-workflow';

import { PriorityQueue } from './priorityQueue';

/** A sleep of n8n can't be ended early: short ones leave no timer behind when a long delay is interrupted. */
const MAX_SLEEP = 1000;

interface Waiter {
	start: () => void;
	reject: (reason: unknown) => void;
}

/**
 * Limits the requests in flight and pauses all of them while the service asks for it.
 *
 * After a pause it lets one request through, then one more with each success, so that few requests are rejected. Until
 * one succeeds, a request on its last attempt gives way to those with attempts left: a rate limit may outlast them.
 */
export class Limiter {
	private inFlight = 0;
	private currentConcurrency: number;
	private pausedUntil = 0;
	/** Whether no request succeeded since the last pause. */
	private isRejected = false;
	/** Rejected requests that wait for the pause to end. */
	private waitingForResume = 0;
	private readonly queue = new PriorityQueue<Waiter>();
	/** Requests on their last attempt. */
	private readonly lastAttempts = new PriorityQueue<Waiter>();
	private readonly pendingDelays = new Set<(reason: unknown) => void>();
	private stoppedBy: unknown;

	/** @param concurrency at least 1 */
	constructor(
		readonly concurrency: number,
		private readonly cancelled?: AbortSignal,
	) {
		this.currentConcurrency = concurrency;
	}

	/**
	 * Runs a task when a slot is free.
	 *
	 * @param priority lower goes first, so that a retried request keeps its place
	 * @param isLastAttempt whether the request fails when it is rejected again
	 * @throws what the task throws, or the reason of a stop or a cancellation
	 */
	async run<T>(priority: number, task: () => Promise<T>, isLastAttempt?: boolean): Promise<T> {
		await this.enter(priority, isLastAttempt);
		try {
			// The request before may have stopped everything when it left the slot.
			this.assertNotStopped();
			return await task();
		} finally {
			this.inFlight -= 1;
			this.next();
		}
	}

	/** Notes that the service accepted a request: after a pause, one more can run at the same time. */
	onSuccess(): void {
		// A request from before the pause does not show that the pause is over.
		if (Date.now() < this.pausedUntil) return;
		this.isRejected = false;
		if (this.currentConcurrency < this.concurrency) {
			this.currentConcurrency += 1;
			this.next();
		}
	}

	/** Pauses every request that is not in flight yet. */
	pauseFor(milliseconds: number): void {
		this.currentConcurrency = 1;
		this.isRejected = true;
		this.pausedUntil = Math.max(this.pausedUntil, Date.now() + milliseconds);
	}

	/** Waits with a rejected request for the end of the pause. @throws the reason of a stop or a cancellation */
	async waitUntilResumed(): Promise<void> {
		this.waitingForResume += 1;
		try {
			while (Date.now() < this.pausedUntil) await this.delay(this.pausedUntil - Date.now());
		} finally {
			this.waitingForResume -= 1;
			// The rejected request returns to its place in the queue before the queue moves on.
			void sleep(0).then(() => this.next());
		}
	}

	/**
	 * Delays one request.
	 *
	 * @param until what ends the delay early; it must not reject
	 * @returns whether it ended early
	 * @throws the reason of a stop or a cancellation
	 */
	async delay(
		milliseconds: number,
		until: Promise<unknown> = new Promise(() => undefined),
	): Promise<boolean> {
		this.assertNotStopped();
		let interrupt: (reason: unknown) => void = () => undefined;
		const interruption = new Promise<never>((_resolve, reject) => (interrupt = reject));
		this.pendingDelays.add(interrupt);
		this.listen();
		try {
			const end = Date.now() + milliseconds;
			let isOver = false;
			const ending = until.then(() => (isOver = true));
			do {
				const left = Math.min(MAX_SLEEP, end - Date.now());
				await Promise.race([sleep(left), ending, interruption]);
			} while (!isOver && Date.now() < end);
			return isOver;
		} finally {
			this.pendingDelays.delete(interrupt);
			this.listen();
		}
	}

	/** Rejects all who wait, now or later, with the reason; requests in flight end by themselves. */
	stop(reason: unknown): void {
		this.stoppedBy ??= reason;
		const waiting = [...this.queue.takeAll(), ...this.lastAttempts.takeAll()];
		for (const { reject } of waiting) reject(reason);
		for (const interrupt of this.pendingDelays) interrupt(reason);
		this.listen();
	}

	private async enter(priority: number, isLastAttempt?: boolean): Promise<void> {
		this.assertNotStopped();
		await new Promise<void>((start, reject) => {
			(isLastAttempt ? this.lastAttempts : this.queue).add(priority, { start, reject });
			this.next();
		});
	}

	private assertNotStopped(): void {
		if (this.stoppedBy !== undefined) throw this.stoppedBy;
		this.cancelled?.throwIfAborted();
	}

	private isOpen(): boolean {
		return this.inFlight < this.currentConcurrency && Date.now() >= this.pausedUntil;
	}

	private next(): void {
		while (this.isOpen()) {
			const waiter = this.takeNext();
			if (waiter === undefined) break;
			this.inFlight += 1;
			waiter.start();
		}
		this.listen();
	}

	/** The next request; none while one with attempts left is about to take its place. */
	private takeNext(): Waiter | undefined {
		if (!this.isRejected) {
			const isLastFirst = this.lastAttempts.firstPriority < this.queue.firstPriority;
			return (isLastFirst ? this.lastAttempts : this.queue).take();
		}
		return this.queue.take() ?? (this.waitingForResume > 0 ? undefined : this.lastAttempts.take());
	}

	private readonly onCancel = (): void => this.stop(this.cancelled?.reason);

	/** Listens to the signal only while something waits: in a loop, the signal outlives many executions of the node. */
	private listen(): void {
		const isWaiting = this.queue.size + this.lastAttempts.size + this.pendingDelays.size > 0;
		if (isWaiting) this.cancelled?.addEventListener('abort', this.onCancel);
		else this.cancelled?.removeEventListener('abort', this.onCancel);
	}
}

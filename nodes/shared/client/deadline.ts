/** The time that the service has for a whole response. n8n's own timeout only counts the time without data. */
export class Deadline {
	private readonly controller = new AbortController();

	private timeout?: AbortSignal;

	private readonly cancelled: AbortSignal;

	/** @param cancelled ends the request as well */
	constructor(
		private readonly milliseconds: number,
		cancelled?: AbortSignal,
	) {
		// Node.js warns of more than ten listeners of one signal.
		this.cancelled = AbortSignal.any(cancelled === undefined ? [] : [cancelled]);
		this.cancelled.addEventListener('abort', this.abort);
		if (this.cancelled.aborted) this.abort();
	}

	/** Ends the request. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Whether the time was over before the response was complete. */
	get isOver(): boolean {
		return this.timeout?.aborted === true;
	}

	/** Starts the time, unless it runs. */
	start(): void {
		if (this.timeout !== undefined) return;
		this.timeout = AbortSignal.timeout(this.milliseconds);
		this.timeout.addEventListener('abort', this.abort);
	}

	/** Both signals outlive the request. */
	end(): void {
		this.timeout?.removeEventListener('abort', this.abort);
		this.cancelled.removeEventListener('abort', this.abort);
	}

	private readonly abort = (): void => this.controller.abort();
}

import { sleep } from 'n8n-workflow';

/** A sleep of n8n can't be ended early: short ones leave no timer behind. */
const MAX_SLEEP = 1000;

/** The time that the service has for a whole response. n8n's own timeout only counts the time without data. */
export class Deadline {
	/** Whether the time was over before the response was complete. */
	isOver = false;

	private readonly controller = new AbortController();

	private isStarted = false;

	private isEnded = false;

	/** @param cancelled ends the request as well */
	constructor(
		private readonly milliseconds: number,
		private readonly cancelled?: AbortSignal,
	) {
		cancelled?.addEventListener('abort', this.onCancel, { once: true });
		if (cancelled?.aborted) this.onCancel();
	}

	/** Ends the request. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Starts the time, unless it runs. */
	start(): void {
		if (this.isStarted) return;
		this.isStarted = true;
		void this.watch();
	}

	end(): void {
		this.isEnded = true;
		this.cancelled?.removeEventListener('abort', this.onCancel);
	}

	private async watch(): Promise<void> {
		const end = Date.now() + this.milliseconds;
		for (let left = this.milliseconds; left > 0; left = end - Date.now()) {
			await sleep(Math.min(MAX_SLEEP, left));
			if (this.isEnded) return;
		}
		this.isOver = true;
		this.controller.abort();
	}

	private readonly onCancel = (): void => this.controller.abort();
}

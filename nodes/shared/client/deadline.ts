/** Ends a request where it is canceled, or where its response takes too long. */
export class Deadline {
	private readonly ending = new AbortController();
	private readonly canceled: AbortSignal;
	private time?: AbortSignal;
	/** When something came last, in milliseconds. */
	private renewedAt = 0;
	private readonly end = () => this.ending.abort();
	private readonly onTime = () => {
		const left = this.renewedAt + this.milliseconds - performance.now();
		if (left > 0) this.watch(left);
		else this.end();
	};

	constructor(
		readonly milliseconds: number,
		canceled?: AbortSignal,
	) {
		// Of its own: Node warns of a leak where many requests listen to one signal.
		this.canceled = AbortSignal.any(canceled ? [canceled] : []);
		this.canceled.addEventListener('abort', this.end);
		if (this.canceled.aborted) this.end();
	}

	get signal(): AbortSignal {
		return this.ending.signal;
	}

	/** Whether the HTTP client has the whole request, so that the service can have it. */
	get isRequestSent(): boolean {
		return this.time !== undefined;
	}

	get isOver(): boolean {
		return this.time?.aborted === true && !this.canceled.aborted;
	}

	/** The time begins. That of n8n itself only counts while no data comes. */
	onRequestSent(): void {
		if (this.time !== undefined) return;
		this.watch(this.milliseconds);
	}

	/** Counts anew from here: what comes piece by piece has to go on, however long it takes. */
	renew(): void {
		this.renewedAt = performance.now();
	}

	private watch(milliseconds: number): void {
		this.time = AbortSignal.timeout(Math.ceil(milliseconds));
		this.time.addEventListener('abort', this.onTime);
	}

	/** Leaves nothing behind at signals that live longer than the request. */
	close(): void {
		this.canceled.removeEventListener('abort', this.end);
		this.time?.removeEventListener('abort', this.onTime);
	}
}

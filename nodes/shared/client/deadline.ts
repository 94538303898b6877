/** Ends a request where it is canceled, or where its response takes too long. */
export class Deadline {
	private readonly ending = new AbortController();
	private readonly canceled: AbortSignal;
	private time?: AbortSignal;
	private readonly end = () => this.ending.abort();

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

	/** Whether the service has the whole request, as far as it is known. */
	get isRunning(): boolean {
		return this.time !== undefined;
	}

	get isOver(): boolean {
		return this.time?.aborted === true && !this.canceled.aborted;
	}

	/** The time of n8n itself only counts while no data comes. */
	start(): void {
		if (this.time !== undefined) return;
		this.time = AbortSignal.timeout(Math.ceil(this.milliseconds));
		this.time.addEventListener('abort', this.end);
	}

	/** Leaves nothing behind at signals that live longer than the request. */
	close(): void {
		this.canceled.removeEventListener('abort', this.end);
		this.time?.removeEventListener('abort', this.end);
	}
}

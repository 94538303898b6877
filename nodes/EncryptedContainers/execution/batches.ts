import { delay } from '../../shared/client/delay';
import type { RequestOptions } from '../parameters/requestOptions';

const NO_BATCHING = { size: Number.POSITIVE_INFINITY, interval: 0 };

/** Starts the items in batches (Request Options > Batching): each begins an interval after the one before. */
export class Batches {
	private batch = 0;
	private startedAt = Date.now();
	private pause: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly batching: RequestOptions['batching'] = NO_BATCHING,
		private readonly signal: AbortSignal,
	) {}

	/** Waits for the batch of the item; to be called in input order. @throws the reason of the signal */
	async waitFor(index: number): Promise<void> {
		const { size, interval } = this.batching;
		const batch = Math.floor(index / size);
		if (interval > 0 && batch > this.batch) {
			this.batch = batch;
			this.pause = this.pause.then(async () => {
				await delay(this.startedAt + interval - Date.now(), this.signal);
				this.startedAt = Date.now();
			});
		}
		await this.pause;
	}
}

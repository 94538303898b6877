import { delay } from '../../shared/client/delay';
import type { RequestOptions } from '../parameters/requestOptions';

/**
 * Starts items in batches (Request Options > Batching): each begins an interval after the one before.
 *
 * @returns waits for the batch of an item; to be called in input order. It throws the reason of the signal
 */
export function createBatches(
	signal: AbortSignal,
	{ size, interval }: RequestOptions['batching'] = { size: 1, interval: 0 },
): (index: number) => Promise<void> {
	let last = 0;
	let startedAt = Date.now();
	let pause = Promise.resolve();
	return async (index) => {
		const batch = Math.floor(index / size);
		if (interval > 0 && batch > last) {
			last = batch;
			pause = pause.then(async () => {
				await delay(startedAt + interval - Date.now(), signal);
				startedAt = Date.now();
			});
		}
		await pause;
	};
}

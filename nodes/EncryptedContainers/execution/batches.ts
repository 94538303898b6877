import { delay } from '../../shared/client/delay';
import type { RequestOptions } from '../parameters/requestOptions';

/** Starts items in batches (Request Options > Batching). @returns waits until the batch of the next item begins */
export function createBatches(
	signal: AbortSignal,
	{ size, interval }: RequestOptions['batching'] = { size: 1, interval: 0 },
): () => Promise<void> {
	let begun = 0;
	let startedAt = Date.now();
	let pause = Promise.resolve();
	return async () => {
		const isNext = begun > 0 && begun % size === 0;
		begun += 1;
		if (interval > 0 && isNext) {
			pause = pause.then(async () => {
				await delay(startedAt + interval - Date.now(), signal);
				startedAt = Date.now();
			});
		}
		await pause;
	};
}

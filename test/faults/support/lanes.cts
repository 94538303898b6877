import { openLane, type Lane } from './matrix.cts';

/** Work that is done by a few lanes at a time; each piece can be waited for by itself. */
export interface Schedule<Result> {
	/** The result of the piece at that place. */
	result(index: number): Promise<Result>;
	/** Ends when all is done and the lanes are closed. */
	finished: Promise<void>;
}

/**
 * Does pieces of work in their order, as many at a time as there are lanes.
 *
 * @param count how many pieces
 * @param lanes how many at a time
 * @param work does one piece; what it throws is thrown by its `result`
 */
export function schedule<Result>(
	count: number,
	lanes: number,
	work: (lane: Lane, index: number) => Promise<Result>,
): Schedule<Result> {
	const pieces = Array.from({ length: count }, () => deferred<Result>());
	for (const { promise } of pieces) promise.catch(() => undefined);
	let next = 0;
	const runLane = async () => {
		const lane = await openLane();
		for (let index = next++; index < count; index = next++) {
			await work(lane, index).then(pieces[index].resolve, pieces[index].reject);
		}
		return lane;
	};
	const run = async () => {
		const opened = await Promise.all(Array.from({ length: Math.min(lanes, count) }, runLane));
		// Lanes may share an authority: none is closed before the last is done.
		for (const lane of opened) await lane.stop();
	};
	const finished = run();
	return { result: async (index) => await pieces[index].promise, finished };
}

function deferred<T>() {
	let resolve: (value: T) => void = () => undefined;
	let reject: (reason: unknown) => void = () => undefined;
	const promise = new Promise<T>((onResult, onError) => {
		resolve = onResult;
		reject = onError;
	});
	return { promise, resolve, reject };
}

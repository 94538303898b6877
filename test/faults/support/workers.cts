import { startWorker, type Worker } from './matrix.cts';

/** Tasks that a few workers perform. Each result can be awaited. */
export interface Schedule<Result> {
	/** The result of the task with this index. */
	result(index: number): Promise<Result>;
	/** Resolves when all tasks are done and the workers are stopped. */
	finished: Promise<void>;
}

/**
 * Performs tasks in order, with as many at a time as there are workers. An error of a task is thrown
 * by its `result`.
 */
export function schedule<Result>(
	count: number,
	workers: number,
	work: (worker: Worker, index: number) => Promise<Result>,
): Schedule<Result> {
	const pieces = Array.from({ length: count }, () => deferred<Result>());
	for (const { promise } of pieces) promise.catch(() => undefined);
	let next = 0;
	const runWorker = async () => {
		const worker = await startWorker();
		for (let index = next++; index < count; index = next++) {
			await work(worker, index).then(pieces[index].resolve, pieces[index].reject);
		}
		return worker;
	};
	const run = async () => {
		const stoppable = await Promise.all(
			Array.from({ length: Math.min(workers, count) }, runWorker),
		);
		// Workers can share an authority, so none stops before the last is done.
		for (const worker of stoppable) await worker.stop();
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

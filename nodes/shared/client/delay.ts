import { sleep } from 'n8n-workflow';

/** A sleep of n8n can't be ended early: short ones leave no timer behind, and notice soon that the end has changed. */
const MAX_SLEEP = 100;

/** Waits until an end that can change meanwhile (milliseconds since 1970): 0 ends it soon. */
export async function sleepUntil(getEnd: () => number): Promise<void> {
	for (let left = getEnd() - Date.now(); left > 0; left = getEnd() - Date.now()) {
		await sleep(Math.min(MAX_SLEEP, left));
	}
}

/** @throws the reason of the signal, which ends it */
export async function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
	const end = Date.now() + milliseconds;
	await sleepUntil(() => (signal.aborted ? 0 : end));
	signal.throwIfAborted();
}

/** Waits for a promise, which must not reject. @throws the reason of the signal, which ends waiting */
export async function waitFor(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
	let end = Infinity;
	const isDone = promise.then(() => (end = 0));
	await Promise.race([isDone, sleepUntil(() => (signal.aborted ? 0 : end))]);
	signal.throwIfAborted();
}

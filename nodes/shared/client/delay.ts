import { sleep } from 'n8n-workflow';

/** A sleep of n8n can't be ended early: short ones leave no timer behind when a long delay ends early. */
const MAX_SLEEP = 100;

/** @throws the reason of the signal, which ends it */
export async function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
	let stop: () => void = () => undefined;
	const isOver = new Promise<void>((resolve) => (stop = startTimer(milliseconds, resolve)));
	await waitFor(isOver, signal).finally(stop);
}

/** Waits for a promise, which must not reject. @throws the reason of the signal, which ends waiting */
export async function waitFor(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
	let stop: () => void = () => undefined;
	// Beside the signal: what is waited for must not hold who waited for it.
	await new Promise<void>((resolve) => {
		stop = onAbort(signal, resolve);
		void promise.then(() => resolve());
	});
	stop();
	signal.throwIfAborted();
}

/** Calls back after a time, unless it is stopped before. A signal with a timeout would outlive its request. @returns stops it */
export function startTimer(milliseconds: number, callback?: () => void): () => void {
	const end = Date.now() + milliseconds;
	const run = async () => {
		for (let left = milliseconds; left > 0 && callback; left = end - Date.now()) {
			await sleep(Math.min(MAX_SLEEP, left));
		}
		callback?.();
	};
	void run();
	// The last sleep must not hold who waited.
	return () => (callback = undefined);
}

/** What waits for the end of each signal: it has one listener for all, because Node.js warns of more than ten. */
const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls back at once where the signal is aborted already. @returns ends that */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
	const known = callbacks.get(signal);
	const waiting = known ?? new Set();
	callbacks.set(signal, waiting.add(callback));
	const callAll = () => [...waiting].forEach((call) => call());
	if (known === undefined) signal.addEventListener('abort', callAll);
	if (signal.aborted) callback();
	return () => waiting.delete(callback);
}

let lastBreak = 0;
let currentBreak: Promise<void> | undefined;

/**
 * Interrupts long work, so that n8n can do something else meanwhile. To be called often: it needs no break so many
 * milliseconds after the last one, and all that work at a time take the same.
 */
export async function takeBreak(maxBlock = 40): Promise<void> {
	if (currentBreak === undefined && Date.now() - lastBreak < maxBlock) return;
	currentBreak ??= sleep(0).then(() => {
		lastBreak = Date.now();
		currentBreak = undefined;
	});
	await currentBreak;
}

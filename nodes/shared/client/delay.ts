import { sleep } from 'n8n-workflow';

/** A sleep of n8n can't be ended early: short ones leave no timer behind when a long delay ends early. */
const MAX_SLEEP = 100;

/** Waits, unless the signal ends it, or `until`, which must not reject. @returns whether `until` did @throws the signal's reason */
export async function delay(milliseconds: number, signal: AbortSignal, until?: Promise<unknown>) {
	// Beside the signal: what is waited for must not hold who waited for it.
	let wake: (isOver: boolean) => void = () => undefined;
	const woken = new Promise<boolean>((resolve) => (wake = resolve));
	void until?.then(() => wake(true));
	const giveUp = () => wake(false);
	const ends = [startTimer(milliseconds, giveUp), onAbort(signal, giveUp)];
	const isOver = await woken;
	for (const end of ends) end();
	signal.throwIfAborted();
	return isOver;
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

/** What waits in the line of each key, in all executions of this process: until the last one has left. */
const lines = new Map<string, Promise<unknown>>();

/**
 * Waits for those before in the line of a key, for so many milliseconds at most; the next one can go on after `maxHold`.
 *
 * @returns what leaves the line, or undefined after the longest wait
 * @throws the reason of the signal
 */
export async function enterLine(
	key: string,
	signal: AbortSignal,
	maxWait: number,
	maxHold: number,
): Promise<(() => void) | undefined> {
	const previous = lines.get(key);
	let leave: () => void = () => undefined;
	// Not a signal: the error with which one ends holds on to what called it, and so to whole lists.
	const isLeft = new Promise<void>((resolve) => (leave = resolve));
	// Who gives up waiting must not let the next one in.
	const last = Promise.all([previous, isLeft]).then(() => undefined);
	lines.set(key, last);
	void last.then(() => lines.get(key) === last && lines.delete(key));
	let isFirst = previous === undefined;
	try {
		isFirst ||= await delay(maxWait, signal, previous);
	} finally {
		if (!isFirst) leave();
	}
	if (!isFirst) return undefined;
	void isLeft.then(startTimer(maxHold, leave));
	return leave;
}

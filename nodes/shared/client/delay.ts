import { sleep } from 'n8n-workflow';

/** A sleep of n8n can't be ended early: short ones leave no timer behind when a long delay ends early. */
const MAX_SLEEP = 1000;

/**
 * Waits, unless the signal or the other promise ends it early.
 *
 * @param until must not reject
 * @returns whether `until` ended it
 * @throws the reason of the signal
 */
export async function delay(
	milliseconds: number,
	signal: AbortSignal,
	until: Promise<unknown> = new Promise(() => undefined),
): Promise<boolean> {
	signal.throwIfAborted();
	let interrupt: () => void = () => undefined;
	const interruption = new Promise<void>((resolve) => (interrupt = resolve));
	signal.addEventListener('abort', interrupt);
	try {
		const end = Date.now() + milliseconds;
		let isOver = false;
		const ending = until.then(() => (isOver = true));
		do {
			await Promise.race([sleep(Math.min(MAX_SLEEP, end - Date.now())), ending, interruption]);
			signal.throwIfAborted();
		} while (!isOver && Date.now() < end);
		return isOver;
	} finally {
		signal.removeEventListener('abort', interrupt);
	}
}

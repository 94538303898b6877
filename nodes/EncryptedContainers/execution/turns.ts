import { waitFor } from '../../shared/client/delay';

/** What waits in the line of each key, in all executions of this process, until the last one has left. */
const lines = new Map<string, Promise<void>>();

/** Waits for all that entered with the same key before. @returns leaves again @throws the reason of the signal */
export async function takeTurn(key: string, signal: AbortSignal): Promise<() => void> {
	const previous = lines.get(key) ?? Promise.resolve();
	let leave: () => void = () => undefined;
	const isLeft = new Promise<void>((resolve) => (leave = resolve));
	// Whoever gives up waiting leaves, but those behind still wait for those before.
	const last = Promise.all([previous, isLeft]).then(() => undefined);
	lines.set(key, last);
	void last.then(() => lines.get(key) === last && lines.delete(key));
	await waitFor(previous, signal).catch((error: unknown) => {
		leave();
		throw error;
	});
	return leave;
}

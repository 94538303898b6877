import { delay } from './delay';

/** How long a slow response holds up the others, in milliseconds. */
const MAX_TURN = 20_000;

/** By the origin of a service, what resolves when its last turn is over. A slow service holds up no other. */
const lastTurns = new Map<string, Promise<unknown>>();

/** The large responses of a service are read one after the other, in all executions of this process. */
export class Turn {
	private end = () => {};

	constructor(private readonly origin: string) {}

	/** Waits for those before. @throws the reason of the signal */
	async take(signal: AbortSignal): Promise<void> {
		const previous = lastTurns.get(this.origin);
		const isOver = new Promise<void>((resolve) => (this.end = resolve));
		// Who gives up waiting must not let the next one in.
		const last = Promise.all([previous, isOver]);
		lastTurns.set(this.origin, last);
		void last.then(() => lastTurns.get(this.origin) === last && lastTurns.delete(this.origin));
		if (previous !== undefined) await delay(Number.POSITIVE_INFINITY, signal, previous);
		void delay(MAX_TURN, signal, isOver)
			.catch(() => undefined)
			.then(this.end);
	}

	leave(): void {
		this.end();
	}
}

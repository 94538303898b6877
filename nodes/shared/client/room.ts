import { delay } from './delay';

/** Bytes that large responses take while they are read and parsed, in all executions of this process. */
const MAX_MEMORY = 150_000_000;

/** How long a response waits for those before it, in milliseconds. */
const MAX_WAIT = 30_000;

interface Waiter {
	bytes: number;
	enter?(): void;
}

let used = 0;
const waiting: Waiter[] = [];

/** Memory for one large response: each gets it in turn, as much as it can need, so that none waits in the middle. */
export class Room {
	private waiter?: Waiter;

	/** @returns whether there is room in time. @throws the reason of the signal */
	async take(bytes: number, signal: AbortSignal): Promise<boolean> {
		const waiter: Waiter = { bytes };
		const entered = new Promise<void>((resolve) => (waiter.enter = resolve));
		this.waiter = waiter;
		waiting.push(waiter);
		admit();
		return !waiting.includes(waiter) || (await delay(MAX_WAIT, signal, entered));
	}

	leave(): void {
		if (this.waiter === undefined) return;
		const place = waiting.indexOf(this.waiter);
		if (place === -1) used -= this.waiter.bytes;
		else waiting.splice(place, 1);
		this.waiter = undefined;
		admit();
	}
}

function admit(): void {
	while (waiting.length > 0 && used + waiting[0].bytes <= MAX_MEMORY) {
		const { bytes, enter } = waiting.shift() as Waiter;
		used += bytes;
		enter?.();
	}
}

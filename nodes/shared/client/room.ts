import { delay } from './delay';

/** Bytes that large responses of one service take while they are read and parsed, in all executions of this process. */
const MAX_MEMORY = 150_000_000;

/** How long a response waits for those before it, in milliseconds. */
const MAX_WAIT = 30_000;

interface Waiter {
	bytes: number;
	enter?(): void;
}

interface Line {
	used: number;
	waiting: Waiter[];
}

/** By the origin of the service: a slow one holds up no other. */
const lines = new Map<string, Line>();

/** Memory for one large response: each gets it in turn, as much as it can need, so that none waits in the middle. */
export class Room {
	private waiter?: Waiter;

	constructor(private readonly origin: string) {}

	/** @returns whether there is room in time. @throws the reason of the signal */
	async take(bytes: number, signal: AbortSignal): Promise<boolean> {
		const line = lines.get(this.origin) ?? { used: 0, waiting: [] };
		lines.set(this.origin, line);
		const waiter: Waiter = { bytes };
		const entered = new Promise<void>((resolve) => (waiter.enter = resolve));
		this.waiter = waiter;
		line.waiting.push(waiter);
		admit(line);
		return !line.waiting.includes(waiter) || (await delay(MAX_WAIT, signal, entered));
	}

	leave(): void {
		const line = lines.get(this.origin);
		if (this.waiter === undefined || line === undefined) return;
		const place = line.waiting.indexOf(this.waiter);
		if (place === -1) line.used -= this.waiter.bytes;
		else line.waiting.splice(place, 1);
		this.waiter = undefined;
		admit(line);
		if (line.used === 0) lines.delete(this.origin);
	}
}

function admit(line: Line): void {
	const { waiting } = line;
	while (waiting.length > 0 && line.used + waiting[0].bytes <= MAX_MEMORY) {
		const { bytes, enter } = waiting.shift() as Waiter;
		line.used += bytes;
		enter?.();
	}
}

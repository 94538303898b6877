import { ViewingError } from './viewingError.mts';

/** So many run at once. */
const PLACES = 2;
/** What takes longer gets one place: the other one stays free for what doesn't. */
const SLOW_MS = 1000;
/** Without JavaScript, a browser asks for all pictures of a page of the viewer at once. */
const MAX_WAITING_OF_ONE = 60;
const MAX_WAITING = 400;
const MAX_WAITING_MS = 30_000;

export interface Job<Value> {
	/** Whom it is for: who asks for much doesn't get more than others at the same time. */
	client: string;
	/** Before the others of this client that wait. */
	isUrgent?: boolean;
	/** One job of a document runs at a time. */
	document: string;
	run(): Promise<Value>;
	/** Ends what runs; `run` is called again later, unless nobody waits for it any more. Without it, what runs goes on. */
	stop?(): void;
	/** Says that nobody waits for it any more. */
	signal?: AbortSignal;
}

interface QueueEntry {
	job: Job<unknown>;
	/** How many of the same client come before it. */
	round: number;
	isSlow: boolean;
	isStopped: boolean;
	/** Why it isn't begun any more, neither for the first time nor again. */
	overdue?: Error;
	resolve(value: unknown): void;
	reject(error: unknown): void;
}

export class FairQueue {
	/** By their rounds. */
	private readonly waiting: QueueEntry[] = [];
	/** By their start. */
	private readonly running = new Set<QueueEntry>();
	private round = 0;
	private readonly slowMs: number;
	private readonly waitingMs: number;

	/**
	 * @param options slowMs: what takes longer, and can be stopped, is slow.
	 * waitingMs: after that time, nothing is begun
	 */
	constructor({ slowMs = SLOW_MS, waitingMs = MAX_WAITING_MS } = {}) {
		this.slowMs = slowMs;
		this.waitingMs = waitingMs;
	}

	/** @throws ViewingError where too many wait */
	async add<Value>(job: Job<Value>): Promise<Value> {
		job.signal?.throwIfAborted();
		const ofClient = ({ job: { client } }: QueueEntry) => client === job.client;
		const waiting = this.waiting.filter(ofClient);
		if (this.waiting.length >= MAX_WAITING || waiting.length >= MAX_WAITING_OF_ONE) {
			throw new ViewingError('busy');
		}
		const overtaken = job.isUrgent && waiting.find((entry) => !entry.job.isUrgent);
		const runs = [...this.running].filter(ofClient).length;
		return await new Promise<Value>((resolve, reject) => {
			const entry: QueueEntry = {
				job,
				round: overtaken ? overtaken.round : this.round + waiting.length + runs,
				isSlow: false,
				isStopped: false,
				resolve: (value) => resolve(value as Value),
				reject,
			};
			const timeout = AbortSignal.timeout(this.waitingMs);
			timeout.addEventListener('abort', () => this.leave(entry, new ViewingError('busy')));
			job.signal?.addEventListener('abort', () => this.leave(entry, job.signal?.reason));
			this.insert(entry, overtaken || undefined);
		});
	}

	count() {
		return { running: this.running.size, waiting: this.waiting.length };
	}

	/** What runs goes on. */
	private leave(entry: QueueEntry, reason: Error): void {
		entry.overdue ??= reason;
		const index = this.waiting.indexOf(entry);
		if (index < 0) return;
		this.waiting.splice(index, 1);
		entry.reject(reason);
	}

	private insert(entry: QueueEntry, overtaken?: QueueEntry): void {
		const next = this.waiting.findIndex(
			(other) => other === overtaken || other.round > entry.round,
		);
		this.waiting.splice(next < 0 ? this.waiting.length : next, 0, entry);
		this.startNext();
		this.makeRoom();
	}

	private startNext(): void {
		while (this.running.size < PLACES) {
			const next = this.waiting.find((entry) => this.canStart(entry));
			if (next === undefined) return;
			this.waiting.splice(this.waiting.indexOf(next), 1);
			this.round = Math.max(this.round, next.round);
			void this.start(next);
		}
	}

	private canStart(entry: QueueEntry): boolean {
		const isAnySlow = [...this.running].some(({ isSlow }) => isSlow);
		return this.isFree(entry) && !(entry.isSlow && isAnySlow);
	}

	private isFree({ job: { client, document } }: QueueEntry): boolean {
		return ![...this.running].some(({ job }) => job.client === client || job.document === document);
	}

	private async start(entry: QueueEntry): Promise<void> {
		this.running.add(entry);
		const timer = entry.job.stop && setTimeout(() => this.noteSlow(entry), this.slowMs);
		try {
			entry.resolve(await entry.job.run());
			entry.isStopped = false;
		} catch (error) {
			if (!entry.isStopped) entry.reject(error);
		}
		clearTimeout(timer);
		this.running.delete(entry);
		if (!entry.isStopped) return this.startNext();
		this.putBack(entry);
	}

	private putBack(entry: QueueEntry): void {
		entry.isStopped = false;
		if (entry.overdue) {
			entry.reject(entry.overdue);
			return this.startNext();
		}
		entry.round = this.round;
		this.insert(entry);
	}

	private noteSlow(entry: QueueEntry): void {
		entry.isSlow = true;
		this.makeRoom();
	}

	/** Stops the younger one where slow ones have all places and another waits. */
	private makeRoom(): void {
		const slow = [...this.running].filter(({ isSlow }) => isSlow);
		const youngest = slow.at(-1);
		if (slow.length < PLACES || youngest === undefined || youngest.isStopped) return;
		if (!this.waiting.some((entry) => !entry.isSlow && this.isFree(entry))) return;
		youngest.isStopped = true;
		youngest.job.stop?.();
	}
}

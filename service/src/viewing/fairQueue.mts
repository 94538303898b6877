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
	turn: string;
	/** One job of a document runs at a time. */
	document: string;
	run(): Promise<Value>;
	/** Ends what runs; `run` is called again later. */
	stop(): void;
	/** Says that nobody waits for it any more. */
	signal?: AbortSignal;
}

interface Entry {
	job: Job<unknown>;
	/** How many of the same turn come before it. */
	round: number;
	isSlow: boolean;
	isStopped: boolean;
	resolve(value: unknown): void;
	reject(error: unknown): void;
}

export function createFairQueue() {
	/** By their rounds. */
	const waiting: Entry[] = [];
	/** By their start. */
	const running = new Set<Entry>();
	let round = 0;

	const isFree = ({ job }: Entry) =>
		![...running].some(
			(other) => other.job.turn === job.turn || other.job.document === job.document,
		);
	const isAnySlow = () => [...running].some(({ isSlow }) => isSlow);

	function insert(entry: Entry): void {
		const next = waiting.findIndex((other) => other.round > entry.round);
		waiting.splice(next < 0 ? waiting.length : next, 0, entry);
		startNext();
		makeRoom();
	}

	function startNext(): void {
		while (running.size < PLACES) {
			const next = waiting.find((entry) => isFree(entry) && !(entry.isSlow && isAnySlow()));
			if (next === undefined) return;
			waiting.splice(waiting.indexOf(next), 1);
			round = Math.max(round, next.round);
			void start(next);
		}
	}

	async function start(entry: Entry): Promise<void> {
		running.add(entry);
		const timer = setTimeout(() => {
			entry.isSlow = true;
			makeRoom();
		}, SLOW_MS);
		try {
			entry.resolve(await entry.job.run());
			entry.isStopped = false;
		} catch (error) {
			if (!entry.isStopped) entry.reject(error);
		}
		clearTimeout(timer);
		running.delete(entry);
		if (!entry.isStopped) return startNext();
		entry.isStopped = false;
		entry.round = round;
		insert(entry);
	}

	/** Stops the younger one where slow ones have all places and another waits. */
	function makeRoom(): void {
		const slow = [...running].filter(({ isSlow }) => isSlow);
		const youngest = slow.at(-1);
		if (slow.length < PLACES || youngest === undefined || youngest.isStopped) return;
		if (!waiting.some((entry) => !entry.isSlow && isFree(entry))) return;
		youngest.isStopped = true;
		youngest.job.stop();
	}

	function leave(entry: Entry, reason: unknown): void {
		const index = waiting.indexOf(entry);
		if (index < 0) return;
		waiting.splice(index, 1);
		entry.reject(reason);
	}

	/** @throws ViewingError where too many wait */
	async function add<Value>(job: Job<Value>): Promise<Value> {
		const before = waiting.filter((entry) => entry.job.turn === job.turn).length;
		if (waiting.length >= MAX_WAITING || before >= MAX_WAITING_OF_ONE) {
			throw new ViewingError('busy');
		}
		job.signal?.throwIfAborted();
		return await new Promise<Value>((resolve, reject) => {
			const entry: Entry = {
				job,
				round: round + before,
				isSlow: false,
				isStopped: false,
				resolve: (value) => resolve(value as Value),
				reject,
			};
			const timeout = AbortSignal.timeout(MAX_WAITING_MS);
			timeout.addEventListener('abort', () => leave(entry, new ViewingError('busy')));
			job.signal?.addEventListener('abort', () => leave(entry, job.signal?.reason));
			insert(entry);
		});
	}

	return { add };
}

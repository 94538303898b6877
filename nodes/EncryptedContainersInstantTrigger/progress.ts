import type { Place } from './eventSource';

/** What n8n stores for the trigger: when it activates the workflow, and with each emission. */
interface SavedProgress extends Place {
	/** What it was saved for. */
	key: string;
	/** Whose events they are. */
	userId?: string;
	/** The last event of each emission that n8n has not finished, oldest first. Behind the last of them, reading goes on. */
	pending: string[];
}

/** By key: this process knows more than n8n has stored. */
const known = new Map<string, SavedProgress>();

/** How far the events have reached the workflow. */
export class Progress {
	private saved: SavedProgress;
	/** Whether nothing was stored. */
	isNew: boolean;
	private readonly settled = new Set<string>();

	/** @param store the node's static data */
	constructor(
		private readonly store: { saved?: SavedProgress },
		private readonly key: string,
	) {
		const stored = store.saved?.key === key ? store.saved : undefined;
		const [furthest] = [stored, known.get(key)].filter(isSaved).sort(compareProgress);
		this.saved = furthest ?? createProgress(key);
		this.isNew = furthest === undefined;
		this.save({});
	}

	get place(): Place {
		const { position, since } = this.saved;
		return { position, since };
	}

	get pending(): readonly string[] {
		return this.saved.pending;
	}

	/** Another user has other events: it starts over. */
	setUser(userId: string): void {
		const { key, userId: before = userId } = this.saved;
		if (before !== userId) {
			this.saved = createProgress(key);
			this.isNew = true;
		}
		this.save({ userId });
	}

	/** Leaves out what is before the place. */
	startFrom({ position, since }: Place): void {
		this.save({ position, since, pending: [] });
	}

	/** Before the events up to this one are emitted. */
	begin(end: string): void {
		const { pending } = this.saved;
		if (!pending.includes(end)) this.save({ pending: [...pending, end] });
	}

	/** When the workflow has them. The position follows, as soon as it has all that were before. */
	settle(end: string): void {
		this.settled.add(end);
		const { pending } = this.saved;
		const open = pending.findIndex((one) => !this.settled.has(one));
		const count = open === -1 ? pending.length : open;
		if (count === 0) return;
		for (const one of pending.slice(0, count)) this.settled.delete(one);
		const position = pending[count - 1];
		this.save({ position, since: undefined, pending: pending.slice(count) });
	}

	private save(change: Partial<SavedProgress>): void {
		this.saved = { ...this.saved, ...change };
		known.set(this.key, this.saved);
		// As a whole, so that n8n notices.
		this.store.saved = this.saved;
	}
}

const isSaved = (saved?: SavedProgress): saved is SavedProgress => saved !== undefined;

const createProgress = (key: string): SavedProgress => {
	return { key, since: new Date().toISOString(), pending: [] };
};

/** The furthest first: another process can have gone on meanwhile. */
function compareProgress(one: SavedProgress, other: SavedProgress): number {
	const toEnd = ({ pending, position = '-1' }: SavedProgress) => Number(pending.at(-1) ?? position);
	const toDone = ({ position = '-1' }: SavedProgress) => Number(position);
	return toEnd(other) - toEnd(one) || toDone(other) - toDone(one);
}

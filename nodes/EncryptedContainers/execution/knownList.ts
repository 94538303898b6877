/** The lists that executions of this process know, by what they list. */
const knownLists = new Map<string, Set<WeakRef<KnownList<unknown>>>>();

/** A list of the service, fetched once per execution. An entry is stale when any execution of this process changed it. */
export class KnownList<T> {
	private readonly staleNames = new Set<string>();

	private entries = new Map<string, T | undefined>();

	constructor(key: string) {
		const lists = knownLists.get(key) ?? new Set();
		for (const list of lists) if (list.deref() === undefined) lists.delete(list);
		knownLists.set(key, lists.add(new WeakRef(this)));
	}

	/** Takes the entries of the list; those that were changed meanwhile stay stale. */
	async load(fetching: Promise<Map<string, T>>): Promise<this> {
		this.entries = await fetching;
		return this;
	}

	isStale(name: string): boolean {
		return this.staleNames.has(name);
	}

	/** The entry, unless it is stale. */
	get(name: string): T | undefined {
		return this.isStale(name) ? undefined : this.entries.get(name);
	}

	set(name: string, entry: T | undefined): void {
		this.staleNames.delete(name);
		this.entries.set(name, entry);
	}

	markAsStale(name: string): void {
		this.staleNames.add(name);
	}
}

/** Marks an entry as stale in every list of this process, because it is about to change or might have changed. */
export function markAsStale(key: string, name: string): void {
	for (const list of knownLists.get(key) ?? []) list.deref()?.markAsStale(name);
}

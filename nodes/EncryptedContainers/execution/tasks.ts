/** What the items of one execution do once, or one after the other. */
export class Tasks {
	private readonly results = new Map<string, Promise<unknown>>();

	private readonly failed = new Set<string>();

	private readonly mutexes = new Map<string, Promise<unknown>>();

	/** Runs a task once and shares its result, a failure too, between all items that ask for it. */
	async memoize<T>(key: string, task: () => Promise<T>): Promise<T> {
		const known = this.results.get(key);
		if (known !== undefined) return (await known) as T;
		const result = task();
		this.results.set(key, result);
		result.catch(() => this.failed.add(key));
		return await result;
	}

	/** Lets a failed task run again. */
	forgetFailures(): void {
		for (const key of this.failed) this.results.delete(key);
		this.failed.clear();
	}

	/** Runs the tasks of one key, such as a container's identifier, one after the other in input order. */
	async runExclusive<T>(key: string, task: () => Promise<T>): Promise<T> {
		const previous = this.mutexes.get(key) ?? Promise.resolve();
		const result = previous.then(task, task);
		this.mutexes.set(key, result);
		return await result;
	}
}

const running = new Set<string>();

/**
 * Does something unless it is being done already. Polls may overlap when the service is slow or asks to wait, and a poll
 * that began earlier must not have the last word about what exists.
 *
 * @param name what is done
 * @param task does it
 * @returns what the task answers, or null at once while an earlier one is under way
 */
export async function skipIfRunning<T>(name: string, task: () => Promise<T>): Promise<T | null> {
	if (running.has(name)) return null;
	running.add(name);
	try {
		return await task();
	} finally {
		running.delete(name);
	}
}

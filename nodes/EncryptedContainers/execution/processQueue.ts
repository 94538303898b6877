import { UserError } from 'n8n-workflow';

import type { Limiter } from '../../shared/client/limiter';

/** How long an item waits for other executions: a large upload or a rate limit can take minutes. */
const MAX_WAIT_MINUTES = 10;

/** For each key, what resolves when its last task is over. A module is loaded once for a process of n8n. */
const lastTasks = new Map<string, Promise<unknown>>();

/**
 * Runs the tasks of one key one after the other, in all executions of this process.
 *
 * @param subject what the key stands for, for the error
 * @throws UserError when the tasks before take too long
 * @throws the reason of a stop or a cancellation
 */
export async function runAlone<T>(
	key: string,
	subject: string,
	limiter: Limiter,
	task: () => Promise<T>,
): Promise<T> {
	const previous = lastTasks.get(key);
	let leave: (value?: unknown) => void = () => undefined;
	const isLeft = new Promise((resolve) => (leave = resolve));
	// Who gives up waiting must not let the next one in.
	const last = Promise.all([previous, isLeft]);
	lastTasks.set(key, last);
	void last.then(() => lastTasks.get(key) === last && lastTasks.delete(key));
	try {
		if (previous !== undefined && !(await limiter.delay(MAX_WAIT_MINUTES * 60_000, previous))) {
			throw new UserError(`Other executions used ${subject} for ${MAX_WAIT_MINUTES} minutes`, {
				description:
					'Nothing was sent. Executions in one n8n that read and then change the same thing do so one after the other. Run the workflow again later, or start fewer executions at the same time.',
			});
		}
		return await task();
	} finally {
		leave();
	}
}

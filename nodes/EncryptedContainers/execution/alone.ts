import { UserError } from 'n8n-workflow';

import { delay } from '../../shared/client/delay';

/** How long a task waits for others, and how long one that lets others in keeps them waiting. */
const MAX_MINUTES = 10;

/** For each key, what resolves when its last task is over. A module is loaded once for a process of n8n. */
const lastTasks = new Map<string, Promise<unknown>>();

/**
 * Runs the tasks of one key one after the other, in all executions of this process.
 *
 * @param subject what the key stands for, for the error
 * @param signal ends waiting
 * @param letsOthersIn whether the next task can begin after ten minutes: not where it would create the same again
 * @throws UserError when the tasks before take too long
 * @throws the reason of the signal
 */
export async function runAlone<T>(
	key: string,
	subject: string,
	signal: AbortSignal,
	task: () => Promise<T>,
	letsOthersIn = true,
): Promise<T> {
	const previous = lastTasks.get(key);
	let leave: (value?: unknown) => void = () => undefined;
	const isLeft = new Promise((resolve) => (leave = resolve));
	// Who gives up waiting must not let the next one in.
	const last = Promise.all([previous, isLeft]);
	lastTasks.set(key, last);
	void last.then(() => lastTasks.get(key) === last && lastTasks.delete(key));
	const ending = new AbortController();
	try {
		if (previous !== undefined && !(await delay(MAX_MINUTES * 60_000, signal, previous))) {
			throw new UserError(`Other executions used ${subject} for ${MAX_MINUTES} minutes`, {
				description:
					'Nothing was sent. Executions in one n8n that read and then change the same thing do so one after the other. Run the workflow again later, or start fewer executions at the same time.',
			});
		}
		if (letsOthersIn) void delay(MAX_MINUTES * 60_000, ending.signal).then(leave, leave);
		return await task();
	} finally {
		ending.abort();
		leave();
	}
}

import { UserError } from 'n8n-workflow';

import { enterLine } from '../../shared/client/delay';

/** How long a task waits for others, and how long one that lets others in keeps them waiting. */
const MAX_MINUTES = 10;
const MAX_WAIT = MAX_MINUTES * 60_000;

/**
 * Runs the tasks of one key one after the other, in all executions of this process. An error names the `subject`.
 *
 * @param letsOthersIn whether the next task can begin after ten minutes: not where it would create the same again
 * @throws UserError when the tasks before take too long, or the reason of the signal
 */
export async function runAlone<T>(
	key: string,
	subject: string,
	signal: AbortSignal,
	task: () => Promise<T>,
	letsOthersIn = true,
): Promise<T> {
	const leave = await enter(key, subject, signal, letsOthersIn ? MAX_WAIT : Infinity);
	try {
		return await task();
	} finally {
		leave();
	}
}

/** As runAlone, until what it returns is called. */
export async function enter(key: string, subject: string, signal: AbortSignal, hold = Infinity) {
	const leave = await enterLine(key, signal, MAX_WAIT, hold);
	if (leave !== undefined) return leave;
	throw new UserError(`Other executions used ${subject} for ${MAX_MINUTES} minutes`, {
		description:
			'Nothing was sent. Executions in one n8n that read and then change the same thing do so one after the other. Run the workflow again later, or start fewer executions at the same time.',
	});
}

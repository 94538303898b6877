import { OperationalError, sleep } from 'n8n-workflow';

/** Left for the comparison after the last response. */
const MARGIN = 0.05;
/** A sleep can't be ended early: short ones leave no timer behind. */
const MAX_SLEEP = 500;

/** How long a poll takes at most where n8n sets no limit: a service that hangs must not end the polls in silence. */
const MAX_POLL = 3_600_000;

/** The time that n8n gives a poll before it abandons it. */
export class TimeBudget {
	/** In milliseconds since 1970. */
	readonly end: number;

	/** @param milliseconds undefined where n8n lets a poll run as long as it takes */
	constructor(milliseconds = MAX_POLL) {
		this.end = Date.now() + milliseconds * (1 - MARGIN);
	}

	get isOver(): boolean {
		return Date.now() >= this.end;
	}

	/** Waits for a task as long as there is time, and returns whether the task ended. */
	async waitFor(task: Promise<unknown>): Promise<boolean> {
		let isDone = false;
		const done = task.then(() => true).finally(() => (isDone = true));
		const over = async () => {
			while (!isDone && !this.isOver) await sleep(Math.min(MAX_SLEEP, this.end - Date.now()));
			return false;
		};
		return await Promise.race([done, over()]);
	}

	/** @throws OperationalError when the time is over first */
	async get<T>(task: Promise<T>): Promise<T> {
		if (await this.waitFor(task)) return await task;
		throw createOutOfTimeError();
	}
}

export function createOutOfTimeError(): OperationalError {
	return new OperationalError('The service responded too slowly for a poll', {
		description:
			'The time that n8n gives a poll, or an hour, was over before there was anything to compare. The next poll tries again. If the error persists, contact the operator of the service, or raise N8N_SCHEDULER_POLL_TIMEOUT in n8n.',
	});
}

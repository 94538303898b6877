import { lastLines } from './command.cts';
import type { RunningProcess } from './process.cts';

const INTERVAL_MS = 200;
const READY_TIMEOUT_MS = 300_000;

/**
 * Waits until a condition is true.
 * @param timeout in milliseconds
 * @throws with the message when that takes too long
 */
export async function waitFor(
	condition: () => boolean | Promise<boolean>,
	timeout = Number.POSITIVE_INFINITY,
	message?: string,
): Promise<void> {
	// tsx can load an ES module such as p-wait-for only with import().
	const { default: pWaitFor } = await import('p-wait-for');
	await pWaitFor(condition, {
		interval: INTERVAL_MS,
		timeout: { milliseconds: timeout, message },
	});
}

/**
 * Waits until a server that was started is ready.
 * @throws with the last lines of its log when it ends or isn't ready in time; then it is stopped
 */
export async function waitUntilReady(
	server: RunningProcess,
	isReady: () => Promise<boolean>,
): Promise<void> {
	const isReadyOrEnded = async () => {
		if (!server.isRunning()) throw new Error('It ended during its start.');
		return await isReady();
	};
	try {
		await waitFor(isReadyOrEnded, READY_TIMEOUT_MS, "It didn't become ready in time.");
	} catch (error) {
		await server.stop().catch(() => undefined);
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(`${server.command}: ${reason}\n${await lastLines(server)}`);
	}
}

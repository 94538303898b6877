import { runInThisContext } from 'node:vm';

/** The process itself: inside a test, jest replaces `process` by a copy that gets no events. */
const realProcess = runInThisContext('process') as NodeJS.Process;

/** The reasons of all rejections that nobody handled in time while `work` ran, even if someone handled them later. */
export async function withUnhandledRejections<T>(
	work: () => Promise<T>,
): Promise<{ result: T; unhandled: unknown[] }> {
	const unhandled: unknown[] = [];
	const note = (reason: unknown) => unhandled.push(reason);
	// Otherwise, jest fails the test that asserts them.
	const others = realProcess.listeners('unhandledRejection');
	realProcess.removeAllListeners('unhandledRejection');
	realProcess.on('unhandledRejection', note);
	try {
		return { result: await work(), unhandled };
	} finally {
		realProcess.off('unhandledRejection', note);
		for (const listener of others) realProcess.on('unhandledRejection', listener);
	}
}

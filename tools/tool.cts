/** Prints plain lines, which also read well in the log of a CI job. */
export const log = (text: string) => void process.stdout.write(`${text}\n`);

/** Runs one step, reports its start, and now and then that a long one still runs. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	const startedAt = Date.now();
	log(`${title} ...`);
	const timer = setInterval(() => {
		log(`  still running after ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
	}, 20_000);
	return await work().finally(() => clearInterval(timer));
}

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const cleanups = new Set<() => Promise<unknown>>();
let isListening = false;
let interrupted = false;

/**
 * Registers what this process does before it ends on Ctrl+C, SIGTERM or SIGHUP.
 *
 * Not exit-hook: it ignores SIGHUP, and prints a notice at each normal exit.
 * @returns a function that unregisters the cleanup
 */
export function onInterrupt(cleanup: () => Promise<unknown>): () => void {
	if (!isListening) for (const signal of Object.keys(EXIT_CODES)) process.on(signal, exit);
	isListening = true;
	cleanups.add(cleanup);
	return () => cleanups.delete(cleanup);
}

async function exit(signal: keyof typeof EXIT_CODES): Promise<void> {
	if (interrupted) return;
	interrupted = true;
	const ended = await Promise.allSettled([...cleanups].map(async (cleanup) => await cleanup()));
	for (const end of ended) {
		if (end.status === 'rejected') process.stderr.write(`${String(end.reason)}\n`);
	}
	process.exit(EXIT_CODES[signal]);
}

/**
 * Runs a tool and ends this process with the exit code that it returns, 0 by default, or with 1 and the error message.
 * After an interruption, the cleanups decide when it ends, and no failure is worth a message.
 */
export function runTool(main: () => Promise<number | void>): void {
	main().then(
		(code) => {
			if (!interrupted) process.exit(code ?? 0);
		},
		(error: unknown) => {
			if (interrupted) return;
			process.stderr.write(`\nFailed: ${error instanceof Error ? error.message : error}\n`);
			process.exit(1);
		},
	);
}

type Cleanup = () => Promise<unknown>;

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const PARENT_CHECK_MS = 1000;
const cleanups: Cleanup[] = [];
let listening = false;
let interrupted = false;

/**
 * Registers what this process does before it ends on Ctrl+C, SIGTERM or SIGHUP, or because its parent
 * process is gone. The last cleanup that was registered runs first.
 *
 * Not exit-hook: it ignores SIGHUP and a lost parent, and prints a notice at each normal exit.
 * @returns a function that unregisters the cleanup
 */
export function onInterrupt(cleanup: Cleanup): () => void {
	if (!listening) listen();
	cleanups.push(cleanup);
	return () => {
		const index = cleanups.indexOf(cleanup);
		if (index >= 0) cleanups.splice(index, 1);
	};
}

/** True from the first signal on: the signal is the cause of every later failure. */
export function isInterrupted(): boolean {
	return interrupted;
}

function listen() {
	listening = true;
	for (const signal of Object.keys(EXIT_CODES)) process.on(signal, exit);
	const parent = process.ppid;
	setInterval(() => {
		if (process.ppid !== parent) void exit('SIGHUP');
	}, PARENT_CHECK_MS).unref();
}

async function exit(signal: keyof typeof EXIT_CODES) {
	if (interrupted) return;
	interrupted = true;
	for (let cleanup = cleanups.pop(); cleanup; cleanup = cleanups.pop()) {
		await cleanup().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
	}
	process.exit(EXIT_CODES[signal]);
}

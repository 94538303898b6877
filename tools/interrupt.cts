type Cleanup = () => Promise<void> | void;

const PARENT_CHECK_MS = 1000;
const cleanups: Cleanup[] = [];
let interrupted = false;
let parentWatch: NodeJS.Timeout | undefined;

/**
 * Registers what has to be done before this process ends by Ctrl-C, SIGTERM or SIGHUP, or because
 * the process that started it is gone. The last registered is done first, each once; then the
 * process ends with the signal's exit code.
 * @returns a function that takes it back
 */
export function onInterrupt(cleanup: Cleanup): () => void {
	if (cleanups.length === 0) listen();
	cleanups.push(cleanup);
	return () => {
		const index = cleanups.indexOf(cleanup);
		if (index >= 0) cleanups.splice(index, 1);
		if (cleanups.length === 0) unlisten();
	};
}

const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

async function end(signal: NodeJS.Signals) {
	if (interrupted) return;
	interrupted = true;
	for (let cleanup = cleanups.at(-1); cleanup; cleanup = cleanups.at(-1)) {
		cleanups.splice(cleanups.indexOf(cleanup), 1);
		try {
			await cleanup();
		} catch (error) {
			process.stderr.write(`${String(error)}\n`);
		}
	}
	process.exit(exitCodes[signal as keyof typeof exitCodes]);
}

/** True from the first signal on: what fails from then on fails because of it. */
export function isInterrupted(): boolean {
	return interrupted;
}

function listen() {
	for (const signal of Object.keys(exitCodes)) process.on(signal, end);
	const parent = process.ppid;
	parentWatch = setInterval(() => {
		if (process.ppid !== parent) void end('SIGHUP');
	}, PARENT_CHECK_MS);
	parentWatch.unref();
}

function unlisten() {
	if (interrupted) return;
	clearInterval(parentWatch);
	for (const signal of Object.keys(exitCodes)) process.off(signal, end);
}

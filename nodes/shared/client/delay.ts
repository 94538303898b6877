/** Waits until `begin` is called back. @throws the reason of the signal, which ends it before */
async function wait(begin: (done: () => void) => void, signal: AbortSignal): Promise<void> {
	signal.throwIfAborted();
	// Of its own: Node warns of a leak where many wait for one signal.
	const ending = AbortSignal.any([signal]);
	let done: () => void = () => undefined;
	await new Promise<void>((resolve) => {
		done = resolve;
		ending.addEventListener('abort', done);
		begin(done);
	});
	ending.removeEventListener('abort', done);
	signal.throwIfAborted();
}

/** @throws the reason of the signal, which ends it */
export async function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
	// Unlike the sleep of n8n, it keeps no process alive.
	const timer = AbortSignal.timeout(Math.max(0, Math.ceil(milliseconds)));
	await wait((done) => timer.addEventListener('abort', done), signal);
}

/** Waits for a promise, which must not reject. @throws the reason of the signal, which ends waiting */
export async function waitFor(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
	await wait((done) => void promise.then(done), signal);
}

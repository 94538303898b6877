/** A time limit that fake timers move: Node.js has timers of its own for it. It refuses what Node.js refuses. */
AbortSignal.timeout = (milliseconds) => {
	if (!Number.isInteger(milliseconds) || milliseconds < 0) throw new RangeError('Out of range');
	const controller = new AbortController();
	const abort = () => controller.abort(new DOMException('Over', 'TimeoutError'));
	// As the signal of Node, it keeps no process alive.
	setTimeout(abort, milliseconds).unref();
	return controller.signal;
};

/** A time limit that fake timers move: Node.js has timers of its own for it. It refuses what Node.js refuses. */
AbortSignal.timeout = (milliseconds) => {
	if (!Number.isInteger(milliseconds) || milliseconds < 0) throw new RangeError('Out of range');
	const controller = new AbortController();
	setTimeout(() => controller.abort(new DOMException('Over', 'TimeoutError')), milliseconds);
	return controller.signal;
};

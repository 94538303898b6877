/** Runs it at once, or once more after the run that is going on, however often it is called meanwhile. */
export function coalesce(run: () => Promise<void>): () => Promise<void> {
	let running: Promise<void> | undefined;
	let isDue = false;
	const runWhileDue = async () => {
		try {
			while (isDue) {
				isDue = false;
				await run();
			}
		} finally {
			running = undefined;
		}
	};
	return async () => {
		isDue = true;
		running ??= runWhileDue();
		await running;
	};
}

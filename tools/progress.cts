/** Adds a short text to the lines about the running step. */
export type SetDetail = (text: string) => void;

export interface Progress {
	/** Runs one step, reports its start, and now and then that a long one still runs. */
	step<T>(title: string, work: (setDetail: SetDetail) => Promise<T>): Promise<T>;
	log(text: string): void;
}

const INTERVAL_MS = 20_000;

/**
 * Prints plain lines, which also read well in the log of a CI job: one for each step, and a sign of life every 20 seconds.
 *
 * Not listr2: outside a terminal it prints nothing while a step runs.
 */
export function consoleProgress(): Progress {
	const log = (text: string) => process.stdout.write(`${text}\n`);
	return {
		log,
		async step(title, work) {
			const startedAt = Date.now();
			const elapsed = () => `${((Date.now() - startedAt) / 1000).toFixed(0)} s`;
			let detail = '';
			log(`${title} ...`);
			const timer = setInterval(
				() => log(`  still running after ${elapsed()}${detail}`),
				INTERVAL_MS,
			);
			try {
				return await work((text) => (detail = `, ${text}`));
			} catch (error) {
				log(`  failed after ${elapsed()}`);
				throw error;
			} finally {
				clearInterval(timer);
			}
		},
	};
}

export const silentProgress: Progress = {
	step: async (_title, work) => await work(() => undefined),
	log: () => undefined,
};

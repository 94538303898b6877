/** Adds a short text to the lines about the running step. */
export type SetDetail = (text: string) => void;

export interface Progress {
	/** Runs one step and reports its start, its end, and every few seconds that it still runs. */
	step<T>(title: string, work: (setDetail: SetDetail) => Promise<T>): Promise<T>;
	log(text: string): void;
}

const INTERVAL_MS = 3000;

/**
 * Prints plain lines with the time since the start, which also read well in the log of a CI job.
 *
 * Not listr2: outside a terminal it prints nothing while a step runs.
 */
export function consoleProgress(): Progress {
	const startedAt = Date.now();
	const log = (text: string) => {
		const seconds = ((Date.now() - startedAt) / 1000).toFixed(1).padStart(6);
		process.stdout.write(`[${seconds} s] ${text}\n`);
	};
	return {
		log,
		async step(title, work) {
			const stepStartedAt = Date.now();
			const elapsed = () => `${((Date.now() - stepStartedAt) / 1000).toFixed(0)} s`;
			let detail = '';
			log(`${title} ...`);
			const timer = setInterval(() => log(`${title}: ${elapsed()}${detail}`), INTERVAL_MS);
			try {
				const result = await work((text) => (detail = `, ${text}`));
				log(`${title}: done in ${elapsed()}`);
				return result;
			} catch (error) {
				log(`${title}: failed after ${elapsed()}`);
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

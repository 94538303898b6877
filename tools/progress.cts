export interface Progress {
	/** Runs one step of the work and says so: at its start, every few seconds, and at its end. */
	step<T>(title: string, work: (detail: (text: string) => void) => Promise<T>): Promise<T>;
	/** One line. */
	note(text: string): void;
}

const EVERY_MS = 3000;

/** Writes progress as plain lines with the time since the start, so that it also reads well in a log. */
export function consoleProgress(): Progress {
	const startedAt = Date.now();
	const note = (text: string) => {
		const seconds = ((Date.now() - startedAt) / 1000).toFixed(1).padStart(6);
		process.stdout.write(`[${seconds} s] ${text}\n`);
	};
	return {
		note,
		async step(title, work) {
			const stepStartedAt = Date.now();
			const took = () => `${((Date.now() - stepStartedAt) / 1000).toFixed(0)} s`;
			let detail = '';
			note(`${title} ...`);
			const timer = setInterval(() => {
				note(`${title}: ${took()}${detail === '' ? '' : `, ${detail}`}`);
			}, EVERY_MS);
			try {
				const result = await work((text) => (detail = text));
				note(`${title}: done in ${took()}`);
				return result;
			} catch (error) {
				note(`${title}: failed after ${took()}`);
				throw error;
			} finally {
				clearInterval(timer);
			}
		},
	};
}

/** For callers that have a display of their own. */
export const silentProgress: Progress = {
	step: async (_title, work) => await work(() => undefined),
	note: () => undefined,
};

import { SingleBar } from 'cli-progress';
import { formatSize } from '../brand/texts.mts';

interface Progress {
	start: (totalBytes: number) => void;
	advance: (bytes: number) => void;
	stop: () => void;
}

/** A bar on a terminal, and nothing anywhere else. @param doing such as `Reading` */
export function createProgress(doing: string): Progress {
	const format = `${doing} {bar} {percentage} %, {done} of {all}, {eta_formatted} left`;
	const bar = new SingleBar({ format, hideCursor: true });
	let done = 0;
	return {
		start: (bytes) =>
			bar.start(bytes, 0, { done: formatSize('en-GB', 0), all: formatSize('en-GB', bytes) }),
		advance(bytes) {
			done += bytes;
			bar.increment(bytes, { done: formatSize('en-GB', done) });
		},
		stop: () => bar.stop(),
	};
}

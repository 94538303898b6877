/**
 * Why a file can't be shown:
 * `broken` isn't what its name says, or is damaged; `locked` has a password of its own;
 * `tooHeavy` takes more memory or pixels than a view gets, or took more than its time before;
 * `timedOut` takes too long; `noPage` has no such page; `busy` too many wait already; `unread` is one of the first two, and
 * LibreOffice doesn't say which; `unavailable` is no fault of the file.
 */
export type ViewingProblem =
	'broken' | 'locked' | 'unread' | 'tooHeavy' | 'timedOut' | 'noPage' | 'busy' | 'unavailable';

export class ViewingError extends Error {
	/** @param cause what happened inside, for the log */
	constructor(
		readonly problem: ViewingProblem,
		cause?: unknown,
	) {
		super(`The file can't be shown: ${problem}`, { cause });
	}
}

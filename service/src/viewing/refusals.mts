import { ViewingError, type ViewingProblem } from './viewingError.mts';

/** Also a good file can take too long while the machine is busy. */
const FORGET_MS = 10 * 60 * 1000;
/** A document with so many pages that take too much isn't tried any more. */
const MAX_PAGES = 3;
const MAX_DOCUMENTS = 10_000;

interface RefusedDocument {
	problem: ViewingProblem;
	pages: Set<number>;
	until: number;
}

/** Pages that took all of their time or memory: trying them again would take it again. */
export function createRefusals() {
	const documents = new Map<string, RefusedDocument>();

	/** @throws ViewingError for what isn't tried again now */
	function check(key: string, page: number): void {
		const refused = documents.get(key);
		if (refused === undefined) return;
		if (refused.until < Date.now()) documents.delete(key);
		else if (refused.pages.size >= MAX_PAGES || refused.pages.has(page)) {
			throw new ViewingError(refused.problem);
		}
	}

	function note(key: string, page: number, error: unknown): void {
		if (!(error instanceof ViewingError)) return;
		const { problem } = error;
		if (problem !== 'timedOut' && problem !== 'tooHeavy') return;
		const pages = documents.get(key)?.pages ?? new Set();
		pages.add(page);
		documents.delete(key);
		documents.set(key, { problem, pages, until: Date.now() + FORGET_MS });
		const [oldest] = documents.keys();
		if (documents.size > MAX_DOCUMENTS) documents.delete(oldest);
	}

	return { check, note };
}

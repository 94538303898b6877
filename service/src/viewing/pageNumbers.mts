import type { PageRange } from './tasks.mts';

/** The numbers of those that are there. */
export function insidePages({ from, to }: PageRange, pageCount: number): number[] {
	const first = Math.max(from, 1);
	const length = Math.max(Math.min(to, pageCount) - first + 1, 0);
	return Array.from({ length }, (_, index) => first + index);
}

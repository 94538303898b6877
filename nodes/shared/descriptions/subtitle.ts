/**
 * The expression of a subtitle on the canvas, in words.
 *
 * @param words what to show, by value
 * @param value an expression without brackets that returns one of the values
 */
export function createSubtitle(words: Record<string, string>, value: string): string {
	return `={{ (${JSON.stringify(words)})[${value}] }}`;
}

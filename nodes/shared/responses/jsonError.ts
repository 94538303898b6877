/**
 * Finds where a text stops being JSON, from the error of JSON.parse. Its message may quote the text, which may hold a
 * secret: only the position is taken from it.
 *
 * @returns the offset of the first unexpected character, the text's length when it ends too early, or undefined when the
 *   error has no position
 */
export function getJsonErrorOffset(error: unknown, text: string): number | undefined {
	const message = error instanceof Error ? error.message : '';
	if (/^Unexpected end|^Unterminated/.test(message)) return text.length;
	const position = / JSON at position (\d+)/.exec(message)?.[1];
	return position === undefined ? undefined : Number(position);
}

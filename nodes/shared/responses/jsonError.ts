/**
 * Finds where a text stops being JSON. Only the position is used from the error of JSON.parse: its message may quote a
 * secret.
 *
 * @returns an offset, the length of the text when it ends too early, or undefined when the error has no position
 */
export function getJsonErrorOffset(error: unknown, text: string): number | undefined {
	const message = String(error);
	if (/^SyntaxError: (Unexpected end|Unterminated)/.test(message)) return text.length;
	const position = / JSON at position (\d+)/.exec(message)?.[1];
	return position === undefined ? undefined : Number(position);
}

const LETTERS_PER_ROW = 34;

/** Letters are drawn one after another, from left to right, as they are: these need more than that. */
const NEEDS_SHAPING =
	/\p{M}|\p{C}|[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Of the same text, always the same rows. What can't be drawn is written as `\u{5d0}`. */
export function toMarkRows(line: string, hasCharacter: (character: string) => boolean): string[] {
	const isDrawn = (letter: string) => hasCharacter(letter) && !NEEDS_SHAPING.test(letter);
	const toDrawn = (letter: string) =>
		isDrawn(letter) ? letter : `\\u{${letter.codePointAt(0)!.toString(16)}}`;
	const letters = Array.from(line.normalize('NFC'), toDrawn).join('');
	const drawn = Array.from(letters);
	const count = Math.ceil(drawn.length / LETTERS_PER_ROW);
	return Array.from({ length: count }, (_, index) =>
		drawn.slice(index * LETTERS_PER_ROW, (index + 1) * LETTERS_PER_ROW).join(''),
	);
}

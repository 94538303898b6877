/** Formats of a font's table of characters: this one has ranges of characters, each 12 bytes. */
const FORMAT_RANGES = 12;

/** Whether a TrueType font has a character. */
export function readFontCharacters(font: Uint8Array): (character: string) => boolean {
	const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
	const start = findRanges(view);
	const count = view.getUint32(start + 12);
	const ranges = Array.from({ length: count }, (_, index) => {
		const range = start + 16 + 12 * index;
		return { first: view.getUint32(range), last: view.getUint32(range + 4) };
	});
	return (character) => {
		const code = character.codePointAt(0)!;
		return ranges.some(({ first, last }) => first <= code && code <= last);
	};
}

/** https://learn.microsoft.com/typography/opentype/spec/cmap */
function findRanges(view: DataView): number {
	const tables = view.getUint16(4);
	for (let record = 12; record < 12 + 16 * tables; record += 16) {
		const tag = String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(record + index)));
		if (tag !== 'cmap') continue;
		const table = view.getUint32(record + 8);
		const subtables = view.getUint16(table + 2);
		for (let entry = table + 4; entry < table + 4 + 8 * subtables; entry += 8) {
			const start = table + view.getUint32(entry + 4);
			if (view.getUint16(start) === FORMAT_RANGES) return start;
		}
	}
	throw new Error('The font has no ranges of characters');
}

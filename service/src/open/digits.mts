const DIGIT = /\p{Nd}/u;

/** Digits as keyboards of other scripts write them, such as Arabic ones, become 0 to 9. */
export const toPlainDigits = (text: string) =>
	text.normalize('NFKC').replace(/\p{Nd}/gu, toPlainDigit);

/** In each script, the ten digits follow each other from zero on. */
function toPlainDigit(digit: string): string {
	const place = digit.codePointAt(0)!;
	let value = 0;
	while (DIGIT.test(String.fromCodePoint(place - value - 1))) value += 1;
	return String(value % 10);
}

/** What a text says, without what JSON, URLs and HTML put around it. */
export interface DecodedText {
	text: string;
	/** Where each character, and the end, is in the text as it was received; undefined where nobody asks. */
	places?: number[];
}

/** More than one in the other: JSON in JSON, Base64 in a URL. */
const MAX_DEPTH = 4;
const ESCAPE =
	/%[\da-f]{2}|\\(?:u[\da-f]{4}|.)|&(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[\da-f]{1,5});/gi;
const SIGNS: Record<string, string> = {
	...{ '\\b': '\b', '\\f': '\f', '\\n': '\n', '\\r': '\r', '\\t': '\t' },
	...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'" },
};
/** Bytes that are no ASCII, as halves of a pair that no text has, until they become characters of UTF-8. */
const BYTE = 0xdc00;
const BYTES = /[\uDCC2-\uDCF4][\uDC80-\uDCBF]{1,3}/g;
const WITH_FORMS = /\+|[^\0-\x7F\uD800-\uDFFF]/gu;

/** Undoes escapes until there are none, so that a text is the same in whichever way it was written. */
export function decode(source: DecodedText): DecodedText {
	let decoded = source;
	for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
		const next = replace(decoded, ESCAPE, toSign);
		if (next === decoded) break;
		decoded = replace(next, BYTES, joinBytes);
	}
	return decoded;
}

/** Makes texts equal that differ in capitals, in the form of Unicode, or in the sign for a space in a URL. */
export function fold(source: DecodedText): DecodedText {
	if (source.places === undefined) return { text: toPlain(source.text) };
	const { text, places } = replace(source, WITH_FORMS, toPlain);
	return { text: text.toLowerCase(), places };
}

/** The text of bytes that are written with so many characters each. */
export function readBytes(bytes: Buffer, perByte: number, places?: number[]): DecodedText {
	if (places === undefined) return decode({ text: bytes.toString() });
	const text = Array.from(bytes, toByte).join('');
	const starts = Array.from(bytes, (_byte, index) => places[Math.floor(index * perByte)]);
	return decode(
		replace({ text, places: [...starts, places[places.length - 1]] }, BYTES, joinBytes),
	);
}

export function getPlace({ places }: DecodedText, index: number): number {
	return places?.[index] ?? index;
}

function toPlain(text: string): string {
	const plain = text.replaceAll('+', ' ').toLowerCase();
	if (!/[^\0-\x7F]/.test(plain)) return plain;
	// A sigma at the end of a word has a form of its own.
	return plain.toUpperCase().toLowerCase().normalize('NFD').replaceAll('ς', 'σ');
}

function replace(
	source: DecodedText,
	pattern: RegExp,
	toText: (match: string) => string,
): DecodedText {
	if (source.places === undefined) {
		const text = source.text.replace(pattern, toText);
		return text === source.text ? source : { text };
	}
	let text = '';
	let end = 0;
	const places: number[] = [];
	for (const { index, 0: match } of source.text.matchAll(pattern)) {
		const replaced = toText(match);
		text += source.text.slice(end, index) + replaced;
		places.push(...source.places.slice(end, index));
		for (let count = 0; count < replaced.length; count += 1) places.push(source.places[index]);
		end = index + match.length;
	}
	if (end === 0) return source;
	places.push(...source.places.slice(end));
	return { text: text + source.text.slice(end), places };
}

function toSign(escape: string): string {
	if (escape.startsWith('%')) return toByte(Number.parseInt(escape.slice(1), 16));
	const code = /^(?:\\u|&#(x?))([\da-f]+);?$/i.exec(escape);
	if (code === null) return SIGNS[escape.toLowerCase()] ?? escape.slice(1);
	const number = Number.parseInt(code[2], code[1] === '' ? 10 : 16);
	return number > 0xff_ff ? String.fromCodePoint(number) : String.fromCharCode(number);
}

function toByte(byte: number): string {
	return String.fromCharCode(byte < 0x80 ? byte : BYTE + byte);
}

function joinBytes(signs: string): string {
	return Buffer.from(Array.from(signs, (sign) => sign.charCodeAt(0) - BYTE)).toString();
}

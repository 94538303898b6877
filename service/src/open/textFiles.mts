import { isUtf8 } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import chardet from 'chardet';
import papaparse from 'papaparse';
import type { Door, Visit } from './door.mts';
import { decrypt, type VisibleFile } from './sentFiles.mts';

const TEXT_BYTES = 64 * 1024;
const MAX_ROWS = 1000;
const MAX_COLUMNS = 100;
/** Where a text is cut, a part of a character at its end is no fault. */
const PARTS = [1, 2, 3];
const OLD_ENCODING = 'windows-1252';
/** Of 100. With less, two bytes happen to be a character of some encoding, too. */
const MIN_CONFIDENCE = 11;

export interface Beginning {
	text: string;
	isCut: boolean;
	/** As browsers name it. */
	encoding: string;
}

/** Reads the beginning of a text. @returns nothing where it is none, whatever its type says */
export async function readBeginning(
	door: Door,
	visit: Visit,
	file: VisibleFile,
): Promise<Beginning | undefined> {
	const range = { start: 0, end: Math.min(file.size, TEXT_BYTES) };
	const bytes = await buffer(decrypt(door, visit, file, range));
	if (bytes.subarray(0, 1024).includes('%PDF-')) return undefined;
	const isCut = file.size > TEXT_BYTES;
	const decoder = createDecoder(bytes, { isCut });
	const text = decoder.decode(bytes, { stream: true });
	if (text.includes('\0')) return undefined;
	return { text, isCut, encoding: decoder.encoding };
}

/** What is no UTF-8 is guessed from its letters. */
function createDecoder(bytes: Buffer, { isCut }: { isCut: boolean }) {
	const parts = isCut ? [0, ...PARTS] : [0];
	const isPlain = parts.some((part) => isUtf8(bytes.subarray(0, bytes.length - part)));
	if (isPlain) return new TextDecoder();
	const guess = chardet.analyse(bytes).find(({ confidence }) => confidence >= MIN_CONFIDENCE);
	try {
		return new TextDecoder(guess?.name ?? OLD_ENCODING);
	} catch {
		return new TextDecoder(OLD_ENCODING);
	}
}

/** The rows of a table whose cells are separated by what they are separated by most: commas, semicolons, tabs. */
export function readTable({ text, isCut }: Beginning): { rows: string[][]; isCut: boolean } {
	const preview = MAX_ROWS + 1;
	const { data } = papaparse.parse<string[]>(text.replace(/\r?\n$/, ''), { preview });
	const isLarger = data.length > MAX_ROWS || data.some((row) => row.length > MAX_COLUMNS);
	const rows = data.slice(0, MAX_ROWS).map((row) => row.slice(0, MAX_COLUMNS));
	return { rows, isCut: isCut || isLarger };
}

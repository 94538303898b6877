import { isUtf8 } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import chardet from 'chardet';
import { decryptFile } from '../../containers/decryptFile.mts';
import { attempt } from '../../errors.mts';
import type { Door, Visit } from '../door.mts';
import type { VisibleFile } from './visibleFiles.mts';

const TEXT_BYTES = 64 * 1024;
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
	const bytes = await buffer(decryptFile(door.vault, visit, file, range));
	if (bytes.subarray(0, 1024).includes('%PDF-')) return undefined;
	const isCut = file.size > TEXT_BYTES;
	const decoder = createDecoder(bytes, { isCut });
	const text = attempt(() => decoder.decode(bytes, { stream: true }));
	if (text === undefined || text.includes('\0')) return undefined;
	return { text, isCut, encoding: decoder.encoding };
}

/** What is no UTF-8 is guessed from its zeros and its letters. */
function createDecoder(bytes: Buffer, { isCut }: { isCut: boolean }) {
	const parts = isCut ? [0, ...PARTS] : [0];
	const isPlain = parts.some((part) => isUtf8(bytes.subarray(0, bytes.length - part)));
	const wide = findWideEncoding(bytes);
	// Its zeros alone don't make a program a text.
	if (wide) return new TextDecoder(wide, { fatal: true });
	if (isPlain) return new TextDecoder();
	const guess = chardet.analyse(bytes).find(({ confidence }) => confidence >= MIN_CONFIDENCE);
	try {
		return new TextDecoder(guess?.name ?? OLD_ENCODING);
	} catch {
		return new TextDecoder(OLD_ENCODING);
	}
}

/** Windows calls it Unicode: each character of English has a zero before or behind it. */
function findWideEncoding(bytes: Buffer): string | undefined {
	const zeros = [0, 0];
	for (const [index, byte] of bytes.entries()) {
		if (byte === 0) zeros[index % 2] += 1;
	}
	const [before, behind] = zeros;
	if (before === behind) return undefined;
	return before < behind ? 'utf-16le' : 'utf-16be';
}

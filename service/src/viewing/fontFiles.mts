import { createRequire } from 'node:module';
import { join } from 'node:path';

const { resolve } = createRequire(import.meta.url);
const inPackage = (name: string, file: string) => join(resolve(name), '../../fonts', file);

/** Each has the letters of its language as they are written there. */
const FILES = {
	japanese: () => inPackage('@embedpdf/fonts-jp', 'NotoSansJP-Regular.otf'),
	korean: () => inPackage('@embedpdf/fonts-kr', 'NotoSansKR-Regular.otf'),
	simplifiedChinese: () => inPackage('@embedpdf/fonts-sc', 'NotoSansHans-Regular.otf'),
	traditionalChinese: () => inPackage('@embedpdf/fonts-tc', 'NotoSansHant-Regular.otf'),
	/** From Latin to Arabic. */
	others: () => resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
};

export type FontName = keyof typeof FILES;

/** @returns a path */
export const findFontFile = (name: FontName): string => FILES[name]();

/** A letter can be written as its number in XML: then it can be any. */
const EAST_ASIAN: Array<[letters: RegExp, font: FontName]> = [
	[/[\p{Script=Hiragana}\p{Script=Katakana}]|&#/u, 'japanese'],
	[/\p{Script=Hangul}|&#/u, 'korean'],
	// It has the letters of all of China.
	[/\p{Script=Han}|&#/u, 'simplifiedChinese'],
];

/** The fonts that a text needs beside that of all others. The first one decides how letters look that several have. */
export const findEastAsianFonts = (text: string): FontName[] =>
	EAST_ASIAN.filter(([letters]) => letters.test(text)).map(([, font]) => font);

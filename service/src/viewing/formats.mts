import { ViewingError } from './viewingError.mts';

export type PictureFormat = 'AVIF' | 'BMP' | 'GIF' | 'JPEG' | 'PNG' | 'TIFF' | 'WEBP';
/** What a file is by its bytes, whatever its name says. */
export type FileFormat = PictureFormat | 'PDF' | 'SVG';

/** How much of a file tells its format. */
export const HEAD_BYTES = 4096;
/** A PDF can begin with something else. */
const PDF_WITHIN = 1024;

const BEGINNINGS: Array<[beginning: RegExp, format: FileFormat]> = [
	[/^\xff\xd8\xff/, 'JPEG'],
	[/^\x89PNG\r\n/, 'PNG'],
	[/^GIF8[79]a/, 'GIF'],
	[/^RIFF.{4}WEBP/s, 'WEBP'],
	[/^BM.{4}\0{4}/s, 'BMP'],
	[/^(II[*+]\0|MM\0[*+])/, 'TIFF'],
	[/^.{4}ftypavi[fs]/s, 'AVIF'],
];

/** @throws ViewingError for any other */
export function detectFormat(head: Uint8Array): FileFormat {
	// Each byte becomes one character.
	const text = Buffer.from(head).toString('latin1');
	const [, format] = BEGINNINGS.find(([beginning]) => beginning.test(text)) ?? [];
	if (format !== undefined) return format;
	if (text.slice(0, PDF_WITHIN).includes('%PDF-')) return 'PDF';
	if (/<svg[\s>]/.test(text.replaceAll('\0', ''))) return 'SVG';
	throw new ViewingError('broken');
}

import mime from 'mime/lite';
import { findOfficeEnding } from './office/officeFormats.mts';

/** How a file is seen: its pages as pictures, its text, or its rows. */
export type ViewKind = 'pages' | 'text' | 'table';

/** Positions in a file have 32 bits. */
const MAX_BYTES = 2 ** 32 - 1;

const PAGES =
	/^application\/pdf$|^image\/(jpe?g|pjpeg|png|webp|gif|bmp|x-ms-bmp|x-bmp|tiff|avif|svg\+xml)$/;
const TABLE = /^text\/(csv|tab-separated-values)$/;
/** HTML and RTF are documents: their source says nothing to a reader. */
const TEXT =
	/^text\/(?!html|rtf|richtext)|^application\/(json|xml|yaml|x-yaml|toml|sql|javascript|x-sh|x-ndjson)$/;

/** Of text without a type that everybody uses. Some have one that means something else. */
const TABLE_BY_ENDING = /\.(csv|tsv)$/i;
const TEXT_BY_ENDING =
	/\.(bat|c|cc|cfg|conf|cpp|cs|css|diff|env|go|gradle|h|hpp|ini|java|js|json|jsonl|jsx|kt|less|log|lua|m|md|mjs|patch|php|pl|properties|ps1|py|r|rb|rs|scala|scss|sh|sql|srt|swift|tex|toml|ts|tsx|vb|vtt|vue|yaml|yml|zsh)$/i;

/** What was sent, or what the name says where that says nothing: many programs send types that no registry knows. */
export function getFileType({ name, type }: { name: string; type: string }): string {
	const sent = type.toLowerCase().split(';', 1)[0].trim();
	const isAnything = sent === 'application/octet-stream';
	return mime.getExtension(sent) && !isAnything ? sent : (mime.getType(`/${name}`) ?? sent);
}

/** @returns nothing for what isn't shown */
export function getViewKind(
	file: { name: string; type: string; size: number },
	{ isOfficeShown }: { isOfficeShown: boolean },
): ViewKind | undefined {
	if (file.size === 0 || file.size > MAX_BYTES) return undefined;
	const { name } = file;
	const type = getFileType(file);
	if (PAGES.test(type)) return 'pages';
	if (TABLE.test(type) || TABLE_BY_ENDING.test(name)) return 'table';
	if (TEXT.test(type) || TEXT_BY_ENDING.test(name)) return 'text';
	return isOfficeShown && findOfficeEnding(file) ? 'pages' : undefined;
}

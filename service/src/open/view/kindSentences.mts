import type { FileKind, SentFile } from '../../containers/fileKinds.mts';
import { getFileType } from '../../viewing/kinds.mts';

/** What people know by another word than its ending. */
const NAMED: Array<[endings: RegExp, sentence: string]> = [
	[/^(7Z|GZ|RAR|TAR|TGZ|ZIP)$/, 'kind.archive'],
	[/^(DOC[MX]?|ODT|PAGES|RTF)$/, 'kind.document'],
	[/^(NUMBERS|ODS|XLS[MX]?)$/, 'kind.table'],
	[/^(KEY|ODP|PPT[MX]?)$/, 'kind.presentation'],
];

/** @returns the ending of a name, in capitals; empty where there is none */
export const getEnding = (name: string) => /\.([a-z\d]{1,8})$/i.exec(name)?.[1].toUpperCase() ?? '';

/** @returns the key of the sentence that names what kind of file it is */
export function getKindSentence(file: SentFile, { shown }: FileKind): string {
	const ending = getEnding(file.name);
	const [, sentence] = NAMED.find(([endings]) => endings.test(ending)) ?? [];
	if (shown === 'pages') {
		const type = getFileType(file);
		if (type === 'application/pdf') return 'kind.pdf';
		return type.startsWith('image/') ? 'kind.picture' : (sentence ?? 'kind.document');
	}
	if (shown !== undefined) return `kind.${shown}`;
	return sentence ?? (ending === '' ? 'kind.other' : 'kind.ending');
}

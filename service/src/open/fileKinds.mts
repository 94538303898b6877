import mime from 'mime/lite';

export interface FileKind {
	/** The key of the sentence that names it. */
	sentence: string;
	/** Of the name, in capitals; empty where there is none. */
	ending: string;
	shown?: 'pdf' | 'image' | 'text' | 'audio' | 'video';
	/** What it is sent as: one of the types below, never the sender's own words. */
	contentType: string;
}

/** What browsers show and never run. */
const SHOWN: Array<[types: RegExp, sentence: string, shown: NonNullable<FileKind['shown']>]> = [
	[/^application\/pdf$/, 'kind.pdf', 'pdf'],
	[/^image\/(png|jpe?g|gif|webp|avif|bmp)$/, 'kind.picture', 'image'],
	[/^audio\/(mpeg|mp3|mp4|x-m4a|aac|ogg|wav|x-wav|webm|flac)$/, 'kind.audio', 'audio'],
	[/^video\/(mp4|webm|ogg)$/, 'kind.video', 'video'],
	[/^text\/(?!.*(html|xml|xsl|rtf))|^application\/json$/, 'kind.text', 'text'],
];

/** What people know by another word than its ending. */
const NAMED: Array<[endings: RegExp, sentence: string]> = [
	[/^(7Z|GZ|RAR|TAR|TGZ|ZIP)$/, 'kind.archive'],
	[/^(DOCX?|ODT|PAGES|RTF)$/, 'kind.document'],
	[/^(NUMBERS|ODS|XLSX?)$/, 'kind.table'],
	[/^(KEY|ODP|PPTX?)$/, 'kind.presentation'],
];

export function getFileKind({ name, type }: { name: string; type: string }): FileKind {
	const ending = /\.([a-z\d]{1,8})$/i.exec(name)?.[1].toUpperCase() ?? '';
	const sent = type.toLowerCase().split(';', 1)[0].trim();
	const isUnknown = ['', 'application/octet-stream'].includes(sent);
	const known = isUnknown ? (mime.getType(`/${name}`) ?? '') : sent;
	const found = SHOWN.find(([types]) => types.test(known));
	if (found !== undefined) {
		const [, sentence, shown] = found;
		const contentType = shown === 'text' ? 'text/plain; charset=utf-8' : known;
		return { sentence, ending, shown, contentType };
	}
	const [, named] = NAMED.find(([endings]) => endings.test(ending)) ?? [];
	const sentence = named ?? (ending === '' ? 'kind.other' : 'kind.ending');
	return { sentence, ending, contentType: 'application/octet-stream' };
}

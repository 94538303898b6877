import mime from 'mime/lite';

export interface FileKind {
	label: string;
	shown?: 'pdf' | 'image' | 'text' | 'audio' | 'video';
	/** What it is sent as: one of the types below, never the sender's own words. */
	contentType: string;
}

/** What browsers show and never run. */
const SHOWN: Array<[types: RegExp, label: string, shown: FileKind['shown']]> = [
	[/^application\/pdf$/, 'PDF document', 'pdf'],
	[/^image\/(png|jpe?g|gif|webp|avif|bmp)$/, 'Image', 'image'],
	[/^audio\/(mpeg|mp3|mp4|x-m4a|aac|ogg|wav|x-wav|webm|flac)$/, 'Audio', 'audio'],
	[/^video\/(mp4|webm|ogg)$/, 'Video', 'video'],
	[/^text\/(?!.*(html|xml|xsl|rtf))|^application\/json$/, 'Text', 'text'],
];

export function getFileKind({ name, type }: { name: string; type: string }): FileKind {
	const sent = type.toLowerCase().split(';', 1)[0].trim();
	const isUnknown = ['', 'application/octet-stream'].includes(sent);
	const known = isUnknown ? (mime.getType(`/${name}`) ?? '') : sent;
	const [, label, shown] = SHOWN.find(([types]) => types.test(known)) ?? [];
	if (label) {
		return { label, shown, contentType: shown === 'text' ? 'text/plain; charset=utf-8' : known };
	}
	const ending = /\.([a-z\d]{1,8})$/i.exec(name)?.[1].toUpperCase();
	return { label: ending ? `${ending} file` : 'File', contentType: 'application/octet-stream' };
}

export function formatSize(bytes: number): string {
	if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
	const power = Math.min(Math.floor(Math.log10(bytes * 1.0005) / 3), 4);
	const value = bytes / 1000 ** power;
	const digits = { maximumFractionDigits: value < 10 ? 1 : 0 };
	return `${value.toLocaleString('en', digits)} ${['KB', 'MB', 'GB', 'TB'][power - 1]}`;
}

import { getViewKind } from '../../src/viewing/kinds.mts';

test.each([
	['report.pdf', 'application/pdf', 'pages'],
	['report.PDF', '', 'pages'],
	['photo.jpg', 'image/jpeg', 'pages'],
	['photo.avif', 'image/avif', 'pages'],
	['photo.avif', 'application/octet-stream', 'pages'],
	['scan.tif', 'application/octet-stream', 'pages'],
	// From a bucket, and from a server that wants a file to be saved.
	['report.pdf', 'binary/octet-stream', 'pages'],
	['photo.jpg', 'application/force-download', 'pages'],
	['report', 'application/x-pdf', undefined],
	['drawing.svg', 'image/svg+xml; charset=utf-8', 'pages'],
	['list.csv', 'text/csv', 'table'],
	['list.csv', 'application/vnd.ms-excel', 'table'],
	['list.xls', 'application/vnd.ms-excel', undefined],
	['notes.txt', 'text/plain', 'text'],
	['data.json', 'application/json', 'text'],
	['main.py', '', 'text'],
	['main.ts', 'video/mp2t', 'text'],
	['page.html', 'text/html', undefined],
	['letter.docx', '', undefined],
	['song.mp3', 'audio/mpeg', undefined],
	['film.mp4', 'video/mp4', undefined],
	['unknown', '', undefined],
])('%s of the type "%s" is seen as %s', (name, type, kind) => {
	expect(getViewKind({ name, type, size: 1000 }, { isOfficeShown: false })).toBe(kind);
});

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

const ENDINGS = [
	'doc',
	'docm',
	'docx',
	'odt',
	'rtf',
	'xls',
	'xlsm',
	'XLSX',
	'ods',
	'ppt',
	'pptm',
	'pptx',
	'odp',
];

test.each([
	...ENDINGS.map((ending) => ({ name: `letter.${ending}`, type: '', kind: 'pages' })),
	{ name: 'letter', type: DOCX, kind: 'pages' },
	{ name: 'letter.docx', type: 'application/zip', kind: 'pages' },
	{ name: 'list.csv', type: 'application/vnd.ms-excel', kind: 'table' },
	{ name: 'letter.pages', type: '', kind: undefined },
	{ name: 'constructor', type: '', kind: undefined },
])('where Office files are shown: %j', ({ kind, ...file }) => {
	expect(getViewKind({ ...file, size: 9 }, { isOfficeShown: true })).toBe(kind);
});

test('an empty file, and one of 4 GiB or more, is not seen', () => {
	const none = { isOfficeShown: false };
	const pdf = { name: 'a.pdf', type: 'application/pdf' };
	expect(getViewKind({ ...pdf, size: 0 }, none)).toBeUndefined();
	expect(getViewKind({ ...pdf, size: 2 ** 32 - 1 }, none)).toBe('pages');
	expect(getViewKind({ ...pdf, size: 2 ** 32 }, none)).toBeUndefined();
});

import { formatSize, getFileKind } from '../src/open/fileKinds.mts';
import {
	codePage,
	containerPage,
	passwordPage,
	problemPage,
	refusalPage,
	signInPage,
	type PageFile,
} from '../src/open/pages.mts';

const HOSTILE = `"><script>alert('1')</script>&amp;`;
const ESCAPED = `&quot;&gt;&lt;script&gt;alert('1')&lt;/script&gt;&amp;amp;`;

const path = '/c/8b0c7c2e-5a63-4f0d-9a3f-2c1d0e4b7f11';
const file: PageFile = { index: 0, name: 'report.pdf', type: 'application/pdf', size: 14_336 };
const container = {
	path,
	owner: 'olive@example.com',
	name: 'Quarterly report',
	downloadable: true,
	files: [file],
};

const showFile = (change: Partial<PageFile>, downloadable = true) =>
	containerPage({ ...container, downloadable, files: [{ ...file, ...change }] });

describe('every page', () => {
	const pages = {
		signIn: signInPage({ path, email: HOSTILE, problem: HOSTILE }),
		code: codePage({ path, email: HOSTILE, problem: HOSTILE }),
		password: passwordPage({ path, problem: HOSTILE }),
		container: containerPage({ ...container, owner: HOSTILE, name: HOSTILE }),
		image: showFile({ name: HOSTILE, type: 'image/png' }),
		text: showFile({ name: HOSTILE, type: 'text/plain', text: HOSTILE }),
		player: showFile({ name: HOSTILE, type: 'audio/mpeg' }),
		refusal: refusalPage({ sentence: HOSTILE, owner: HOSTILE }),
		problem: problemPage({ title: HOSTILE, sentence: HOSTILE }),
	};

	it.each(Object.entries(pages))('escapes texts: %s', (_name, page) => {
		expect(page).toContain(ESCAPED);
		expect(page).not.toMatch(/<script|alert\('1'\)<\//);
	});

	it.each(Object.entries(pages))('needs only our style: %s', (_name, page) => {
		expect(page).not.toMatch(/ style=| on\w+=|https?:/);
		expect(page.match(/<h1/g)).toHaveLength(1);
		expect(page).toContain('<html lang="en">');
	});

	it('removes characters that reverse a name', () => {
		const page = showFile({ name: 'photo\u202egpj.exe', type: '' });
		expect(page).toContain('.exe<');
		expect(page).not.toContain('\u202e');
		expect(page).toContain('EXE file');
	});

	it('keeps what a name adds out of the address of a mail', () => {
		const owner = 'olive?subject=x&body=y@example.com';
		const page = refusalPage({ sentence: 'No.', owner });
		expect(page).toContain(`href="mailto:${encodeURIComponent(owner)}"`);
	});
});

describe('the forms', () => {
	it('post to the next step', () => {
		expect(signInPage({ path })).toContain(`action="${path}/code"`);
		expect(codePage({ path, email: 'ada@example.com' })).toContain(`action="${path}/open"`);
		expect(passwordPage({ path })).toContain(`action="${path}/password"`);
	});

	it('say nothing about whether a code was sent', () => {
		expect(codePage({ path, email: 'ada@example.com' })).toContain(
			'If ada@example.com may open this container, a code is on its way.',
		);
	});

	it('tell a problem with the field and in the title', () => {
		const page = codePage({ path, email: 'ada@example.com', problem: 'The code is wrong.' });
		expect(page).toContain('<title>Error: Enter your code</title>');
		expect(page).toContain('role="alert">The code is wrong.<');
		expect(page).toContain('aria-describedby="problem lead"');
		expect(codePage({ path, email: 'ada@example.com' })).not.toMatch(/problem|alert|Error/);
	});
});

describe('the page of a container', () => {
	it('says until when and how often it can be opened', () => {
		const page = containerPage({ ...container, lastDay: '2026-12-31', opensLeft: 1 });
		expect(page).toContain('Available until 31 December 2026.');
		expect(page).toContain('1 opening left.');
		expect(containerPage({ ...container, opensLeft: 0 })).toContain('No openings left.');
		expect(containerPage(container)).not.toMatch(/Available|left\./);
	});

	it('offers nothing for download where the sender does not', () => {
		expect(showFile({})).toContain(`href="${path}/files/0?download"`);
		const page = showFile({}, false);
		expect(page).not.toContain('?download');
		expect(page).toContain("The sender doesn't offer these files for download.");
		expect(page).not.toContain("can't be shown");
		expect(showFile({ type: 'text/html' }, false)).toContain("can't be shown here either");
		expect(showFile({ type: 'video/mp4' }, false)).toContain('controlslist="nodownload"');
	});

	it('shows a text only where it was read', () => {
		const text = { type: 'text/plain', text: 'Minutes', textIsCut: true };
		expect(showFile(text)).toMatch(/<pre[^>]*>Minutes<\/pre>[^]*only the beginning/);
		expect(showFile({ ...text, text: undefined })).not.toMatch(/<pre|only the beginning/);
	});

	it('shows the first 20 of many files', () => {
		const images = Array.from({ length: 300 }, (_, index) => ({
			...file,
			index,
			type: 'image/png',
		}));
		const page = containerPage({ ...container, files: images });
		expect(page.match(/<img /g)).toHaveLength(20);
		expect(page.match(/Open in a new tab/g)).toHaveLength(300);
	});

	it('says that it has no files', () => {
		expect(containerPage({ ...container, files: [] })).toContain('There are no files to show.');
	});
});

describe('the kind of a file', () => {
	it.each([
		['application/pdf', 'pdf', 'application/pdf'],
		['IMAGE/PNG; name=x', 'image', 'image/png'],
		['image/jpeg', 'image', 'image/jpeg'],
		['audio/mpeg', 'audio', 'audio/mpeg'],
		['video/mp4', 'video', 'video/mp4'],
		['text/plain; charset=utf-16', 'text', 'text/plain; charset=utf-8'],
		['text/csv', 'text', 'text/plain; charset=utf-8'],
		['text/javascript', 'text', 'text/plain; charset=utf-8'],
		['application/json', 'text', 'text/plain; charset=utf-8'],
	])('%s is shown as %s', (type, shown, contentType) => {
		expect(getFileKind({ name: 'page.html', type })).toMatchObject({ shown, contentType });
	});

	it.each([
		'text/html',
		' TEXT/HTML;charset=utf-8',
		'application/xhtml+xml',
		'image/svg+xml',
		'text/xml',
		'application/xml',
		'text/xsl',
		'text/x-html',
		'text/rtf',
		'application/javascript',
		'image/png\n, text/html',
		'image/png, text/html',
		'image/x-unknown',
		'constructor',
		'image/png/../html',
	])('%j is never shown, whatever the name', (type) => {
		const kind = getFileKind({ name: 'photo.png', type });
		expect(kind).toEqual({ label: 'PNG file', contentType: 'application/octet-stream' });
		expect(showFile({ name: 'photo.png', type })).not.toMatch(/<img|<iframe|<pre|_blank/);
	});

	it.each([
		['report.PDF', 'application/pdf'],
		['photo.jpg', 'image/jpeg'],
		['notes.md', 'text/plain; charset=utf-8'],
		['song.mp3', 'audio/mpeg'],
		['clip.mp4', 'video/mp4'],
		['page.html', 'application/octet-stream'],
		['drawing.svg', 'application/octet-stream'],
		['photo.png.exe', 'application/octet-stream'],
		['png', 'application/octet-stream'],
	])('%s without a type is sent as %s', (name, contentType) => {
		expect(getFileKind({ name, type: '' }).contentType).toBe(contentType);
		expect(getFileKind({ name, type: 'application/octet-stream' }).contentType).toBe(contentType);
	});

	it('has a label for people', () => {
		expect(getFileKind({ name: 'a.docx', type: 'application/zip' }).label).toBe('DOCX file');
		expect(getFileKind({ name: 'README', type: '' }).label).toBe('File');
		expect(getFileKind(file).label).toBe('PDF document');
	});
});

it.each([
	[0, '0 bytes'],
	[1, '1 byte'],
	[999, '999 bytes'],
	[1000, '1 KB'],
	[14_336, '14 KB'],
	[1_460_000, '1.5 MB'],
	[999_400, '999 KB'],
	[999_600, '1 MB'],
	[5e9, '5 GB'],
	[2e15, '2,000 TB'],
])('%d bytes are %s', (bytes, text) => {
	expect(formatSize(bytes)).toBe(text);
});

import { getFileKind } from '../src/open/fileKinds.mts';
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
	...{ path, owner: 'olive@example.com', name: 'Quarterly report' },
	...{ downloadable: true, files: [file] },
};

const showFile = (change: Partial<PageFile>, downloadable = true) =>
	containerPage({ ...container, downloadable, files: [{ ...file, ...change }] });

it.each(
	Object.entries({
		signIn: signInPage({ path, email: HOSTILE, problem: HOSTILE }),
		code: codePage({ path, email: HOSTILE, problem: HOSTILE, codes: 'sent' }),
		password: passwordPage({ path, problem: HOSTILE }),
		container: containerPage({ ...container, owner: HOSTILE, name: HOSTILE }),
		image: showFile({ name: HOSTILE, type: 'image/png' }),
		text: showFile({ name: HOSTILE, type: 'text/plain', text: HOSTILE }),
		player: showFile({ name: HOSTILE, type: 'audio/mpeg' }),
		refusal: refusalPage({ sentence: HOSTILE, owner: HOSTILE }),
		problem: problemPage({ title: HOSTILE, sentence: HOSTILE }),
	}),
)('the page %s escapes texts, and needs only our style', (_name, page) => {
	expect(page).toContain(ESCAPED);
	expect(page).not.toMatch(/<script|alert\('1'\)<\//);
	expect(page).not.toMatch(/ style=| on\w+=|https?:/);
	expect(page.match(/<h1/g)).toHaveLength(1);
});

it('a page has no characters that reverse a name, and no address of a mail that adds to it', () => {
	const page = showFile({ name: 'photo\u202egpj.exe', type: '' });
	expect(page).toMatch(/\.exe<[^]*EXE file/);
	expect(page).not.toContain('\u202e');
	const owner = 'olive?subject=x&body=y@example.com';
	expect(refusalPage({ sentence: 'No.', owner })).toContain(`mailto:${encodeURIComponent(owner)}"`);
});

it('offers nothing for download where the sender does not, and a text only where it was read', () => {
	expect(showFile({})).toContain(`href="${path}/files/0?download"`);
	const page = showFile({}, false);
	expect(page).toContain("The sender doesn't offer these files for download.");
	expect(page).not.toMatch(/\?download|can't be shown/);
	expect(showFile({ type: 'video/mp4' }, false)).toContain('controlslist="nodownload"');
	const text = { type: 'text/plain', text: 'Minutes', textIsCut: true };
	expect(showFile(text)).toMatch(/<pre[^>]*>Minutes<\/pre>[^]*only the beginning/);
	expect(showFile({ ...text, text: undefined })).not.toMatch(/<pre|only the beginning/);
});

it.each([
	['application/pdf', 'pdf', 'application/pdf'],
	['IMAGE/PNG; name=x', 'image', 'image/png'],
	['video/mp4', 'video', 'video/mp4'],
	['text/plain; charset=utf-16', 'text', 'text/plain; charset=utf-8'],
	['application/json', 'text', 'text/plain; charset=utf-8'],
])('a file of type %s is shown as %s', (type, shown, contentType) => {
	expect(getFileKind({ name: 'page.html', type })).toMatchObject({ shown, contentType });
});

it.each([
	...['text/html', ' TEXT/HTML;charset=utf-8', 'application/xhtml+xml', 'image/svg+xml'],
	...['text/xml', 'application/xml', 'text/xsl', 'text/rtf', 'application/javascript'],
	...['image/png\n, text/html', 'image/x-unknown', 'constructor', 'image/png/../html'],
])('a file of type %j is never shown, whatever its name', (type) => {
	const kind = getFileKind({ name: 'photo.png', type });
	expect(kind).toEqual({ label: 'PNG file', contentType: 'application/octet-stream' });
	expect(showFile({ name: 'photo.png', type })).not.toMatch(/<img|<iframe|<pre|_blank/);
});

it.each([
	['photo.JPG', 'image/jpeg'],
	['notes.md', 'text/plain; charset=utf-8'],
	['page.html', 'application/octet-stream'],
	['photo.png.exe', 'application/octet-stream'],
	['png', 'application/octet-stream'],
])('%s without a type is sent as %s', (name, contentType) => {
	expect(getFileKind({ name, type: '' }).contentType).toBe(contentType);
	expect(getFileKind({ name, type: 'application/octet-stream' }).contentType).toBe(contentType);
});

import { getFileKind } from '../src/open/fileKinds.mts';
import { filesPage, type PageFile } from '../src/open/filesPage.mts';
import { codePage, incompletePage, passwordPage, refusedPage } from '../src/open/pages.mts';
import { rootPage, signInPage } from '../src/open/pages.mts';
import * as states from './support/pageStates.mts';

const HOSTILE = `"><script>alert('1')</script>&amp;{x}`;
const ESCAPED = `&quot;&gt;&lt;script&gt;alert('1')&lt;/script&gt;&amp;amp;{x}`;

const branded = states.createTestSite();
const unbranded = states.createTestSite({ isBranded: false });
const page = states.getPage(branded, 'en', states.ANNA);
const file: PageFile = { index: 0, name: 'report.pdf', type: 'application/pdf', size: 14_336 };
const shared = { owner: 'olive@example.com', name: 'Quarterly report', isDownloadable: true };

const showFile = (change: Partial<PageFile>, isDownloadable = true) =>
	filesPage(page, { ...shared, isDownloadable, files: [{ ...file, ...change }] });

const nameless = { ...branded, name: HOSTILE };
const owner = { email: states.OLIVIA, disabled_date: null };
const refusal = { refusal: { reason: 'recipient' }, endedDay: null } as const;

it.each(
	Object.entries({
		signIn: signInPage(page, { email: HOSTILE, isProblem: true }),
		brand: signInPage({ ...page, site: nameless }),
		code: codePage(page, { email: HOSTILE }),
		password: passwordPage(page, HOSTILE),
		container: filesPage(page, { ...shared, owner: HOSTILE, name: HOSTILE, files: [file] }),
		visitor: filesPage({ ...page, visitor: HOSTILE }, { ...shared, files: [file] }),
		image: showFile({ name: HOSTILE, type: 'image/png' }),
		text: showFile({ name: HOSTILE, type: 'text/plain', text: HOSTILE }),
		player: showFile({ name: HOSTILE, type: 'audio/mpeg' }),
		refusal: refusedPage(page, {
			...refusal,
			address: HOSTILE,
			owner: { ...owner, email: HOSTILE },
		}),
	}),
)('the page %s escapes texts', (_name, html) => {
	expect(html).toContain(ESCAPED);
	expect(html).not.toMatch(/<script|alert\('1'\)<\//);
});

describe.each(['en', 'de', 'ar'])('each page in %s', (tag) => {
	const all = [branded, unbranded].flatMap((site) => states.renderStates(site, tag));

	it.each(all)('%s needs only our style, and says whose it is', (_state, html) => {
		expect(html).not.toMatch(/ style=| on\w+=|<script/);
		const links = Object.values(branded.links).join('|');
		const own = html.replace(new RegExp(`(${links}|${branded.origin}/c/[\\da-f-]+)`, 'g'), '');
		expect(own).not.toMatch(/https?:/);
		expect(html.match(/<h1/g)).toHaveLength(1);
		expect(html).toMatch(
			/<title>[^<]+ – (Berger &amp; Söhne Steuerberatung|files\.berger\.example)</,
		);
		expect(html.match(/role="alert"/g) ?? []).toHaveLength(
			/<div class="note bad"|class="problem"/.test(html) ? 1 : 0,
		);
	});
});

it('before sign-in, a page tells the brand and nothing about a container', () => {
	for (const [name, render] of Object.entries(states.openStates)) {
		const html = render(states.getPage(branded, 'en'));
		const told = [states.OLIVIA, 'Unterlagen', 'password was', 'Signed in'];
		expect([name, told.filter((secret) => html.includes(secret))]).toEqual([name, []]);
	}
});

it('there is somebody to ask on each page: by the help link, or the owner after sign-in', () => {
	for (const [name, html] of states.renderStates(branded, 'en')) {
		expect([name, html]).toEqual([name, expect.stringContaining(branded.links.help!)]);
	}
	for (const [name, render] of Object.entries(states.signedInStates)) {
		const html = render(states.getPage(unbranded, 'en', states.ANNA));
		expect([name, html]).toEqual([name, expect.stringMatching(/mailto:olivia|ask whoever sent/)]);
	}
});

it('for an owner who is disabled, the company is asked', () => {
	const { closed } = states.signedInStates;
	const html = closed(page);
	expect(html).toContain(`<a href="${branded.links.help}"><bdi>Berger &amp; Söhne`);
	expect(html).not.toContain(states.OLIVIA);
});

it('a link to another language leads to a page, or sends the form of a page that has none', () => {
	const link = `href="${page.path}?lang=de" lang="de" hreflang="de"`;
	expect(signInPage(page)).toContain(link);
	expect(signInPage(page)).toMatch(/lang="en" hreflang="en" aria-current="true">English</);
	const code = codePage(page, { email: states.ANNA });
	expect(code).not.toContain('?lang=');
	expect(code).toContain(`action="${page.path}/language"`);
	expect(code).toContain('name="lang" value="de" lang="de">Deutsch<');
	const [texts] = branded.languages;
	const alone = { ...page, site: { ...branded, languages: [texts] } };
	expect(rootPage(alone, { isKnown: true })).not.toContain('hreflang');
	expect(incompletePage(alone)).not.toContain('<nav');
});

it('a page has no characters that reverse a name, and no address of a mail that adds to it', () => {
	const html = showFile({ name: 'photo\u202egpj.exe', type: '' });
	expect(html).toMatch(/\.exe<[^]*EXE file/);
	expect(html).not.toContain('\u202e');
	const owner = 'olive?subject=x&body=y@example.com';
	expect(passwordPage(page, owner)).toContain(`mailto:${encodeURIComponent(owner)}"`);
});

it('offers nothing for download where the sender does not, and a text only where it was read', () => {
	const url = `${page.path}/files/0`;
	expect(showFile({})).toContain(`href="${url}?download"`);
	const html = showFile({}, false);
	expect(html).toContain('The sender doesn’t offer these files for download.');
	expect(html).not.toMatch(/\?download|can’t be shown/);
	expect(showFile({ name: 'a.zip', type: '' }, false)).toContain('can’t be shown here');
	expect(showFile({ type: 'video/mp4' }, false)).toContain('controlslist="nodownload"');
	const text = { type: 'text/plain', text: 'Minutes', isCut: true };
	expect(showFile(text)).toMatch(
		/<pre[^>]*>Minutes<\/pre>[^]*only the beginning\. <a href="[^"]*\/files\/0">Show the whole text</,
	);
	expect(showFile({ ...text, text: undefined })).not.toMatch(/<pre|only the beginning/);
});

it('above one file, has a list that leads to each file, and stays small with 20 of them', () => {
	const files = Array.from({ length: 20 }, (_, index) => ({
		...{ ...file, index, name: `Jahresabschluss ${index} der Weber Holzbau GmbH.pdf` },
	}));
	const html = filesPage(page, { ...shared, files });
	for (const { index, name } of files) {
		expect(html).toMatch(new RegExp(`<a href="#file-${index}">.*<bdi>${name}</bdi>.*PDF, 14 kB`));
		expect(html).toContain(`<section class="flow" id="file-${index}"`);
	}
	expect(html).toContain('20 files, 287 kB');
	expect(Buffer.byteLength(html)).toBeLessThan(60_000);
	expect(showFile({})).not.toContain('href="#file-0"');
	const before = process.cpuUsage();
	for (let n = 0; n < 10; n++) filesPage(page, { ...shared, files });
	const { user, system } = process.cpuUsage(before);
	expect((user + system) / 10 / 1000).toBeLessThan(100);
});

it('a file without a section is still in the list', () => {
	const images = Array.from({ length: 21 }, (_, index) => ({
		...{ ...file, index, name: `${index}.png`, type: 'image/png' },
	}));
	const zip = { ...file, index: 21, name: 'a.zip', type: 'application/zip' };
	const html = filesPage(page, { ...shared, files: [...images, zip] });
	expect(html.match(/<img src="[^"]*files/g)).toHaveLength(20);
	expect(html).toContain(`<a href="${page.path}/files/20"><span class="kind"`);
	expect(html).toContain(`<a href="${page.path}/files/21?download"><span class="kind"`);
});

it.each([
	['report.zip', 'kind.archive'],
	['report.DOCX', 'kind.document'],
	['report.xlsx', 'kind.table'],
	['report.pptx', 'kind.presentation'],
	['report.dwg', 'kind.ending'],
	['report', 'kind.other'],
])('%s is named by %s', (name, sentence) => {
	expect(getFileKind({ name, type: 'application/octet-stream' }).sentence).toBe(sentence);
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
	expect(kind).toEqual({
		...{ sentence: 'kind.ending', ending: 'PNG' },
		contentType: 'application/octet-stream',
	});
	expect(showFile({ name: 'photo.png', type })).not.toMatch(
		/<img src="[^"]*files|<iframe|<pre|>View</,
	);
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

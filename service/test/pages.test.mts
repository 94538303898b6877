import { getFileKind, isShownAlone } from '../src/containers/fileKinds.mts';
import type { FileContent } from '../src/open/view/fileContent.mts';
import { filesPage, type PageFile, type Shown } from '../src/open/view/filesPage.mts';
import { getKindSentence } from '../src/open/view/kindSentences.mts';
import { codePage, incompletePage, passwordPage } from '../src/open/pages.mts';
import { rootPage, signInPage } from '../src/open/pages.mts';
import { askedPage, refusedPage } from '../src/open/signIn/refusedPages.mts';
import { ROWS_AT_ONCE } from '../src/open/view/tables.mts';
import * as states from './support/pageStates.mts';

const HOSTILE = `"><script>alert('1')</script>&amp;{x}`;
const ESCAPED = `&quot;&gt;&lt;script&gt;alert('1')&lt;/script&gt;&amp;amp;{x}`;

const branded = states.createTestSite();
const unbranded = states.createTestSite({ isBranded: false });
const page = states.getPage(branded, 'en', states.ANNA);
const file: PageFile = { index: 0, name: 'report.pdf', type: 'application/pdf', size: 14_336 };
const shared = {
	...{ owner: states.owner, name: 'Quarterly report', isMarked: true },
	...{ isDownloadable: true, isOfficeShown: false, files: [file] },
};
const BYTES = 'application/octet-stream';
/** A table without its rows. */
const whole = { as: 'table', first: 1, hasMore: false, isCut: false } as const;
const request = { file: 0, from: 1, isLarge: false, isText: false };

interface ShownChange {
	owner?: typeof states.owner;
	file?: Partial<PageFile>;
	request?: Partial<Shown['request']>;
	isDownloadable?: boolean;
	isMarked?: boolean;
}

/** The page of one file. */
function showFile(
	content: FileContent,
	{ file: changed, request: asked, ...state }: ShownChange = {},
) {
	const shownFile = { ...file, ...changed };
	const shown = { file: shownFile, request: { ...request, ...asked }, content };
	return filesPage(page, { ...shared, ...state, files: [shownFile], shown });
}

const pagesOf = states.toPages;
const byFormer = { owner: states.formerOwner };

const nameless = { ...branded, name: HOSTILE };
const hostileOwner = { ...states.owner, email: HOSTILE };
const refusal = { refusal: { reason: 'recipient' }, endedDay: null, proof: HOSTILE } as const;

it.each(
	Object.entries({
		signIn: signInPage(page, { email: HOSTILE, problem: 'address' }),
		brand: signInPage({ ...page, site: nameless }),
		code: codePage(page, { email: HOSTILE }),
		password: passwordPage(page, hostileOwner),
		container: filesPage(page, { ...shared, owner: hostileOwner, name: HOSTILE }),
		visitor: filesPage({ ...page, visitor: HOSTILE }, shared),
		picture: showFile(pagesOf(1), { file: { name: HOSTILE } }),
		outline: showFile({
			...pagesOf(48),
			outline: [{ title: HOSTILE, page: 1, level: 1 }],
		}),
		textOfPage: showFile({
			...pagesOf(1),
			pages: [{ number: 1, width: 9, height: 9, text: HOSTILE }],
		}),
		text: showFile({ as: 'text', text: HOSTILE, isCut: false }),
		table: showFile({ ...whole, rows: [[HOSTILE], [HOSTILE]] }),
		player: showFile({ as: 'player', element: 'audio' }, { file: { name: HOSTILE } }),
		refusal: refusedPage(page, { ...refusal, address: HOSTILE, owner: hostileOwner }),
		note: refusedPage(
			page,
			{ ...refusal, address: states.ANNA, owner: states.owner },
			{ note: HOSTILE, problem: 'tooLong' },
		),
		asked: askedPage(page, { owner: hostileOwner, proof: '', note: HOSTILE }),
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

it.each<[string, () => string]>([
	['refusal', () => states.signedInStates.closed(page)],
	['password', () => passwordPage(page, states.formerOwner)],
	['file that is not shown', () => showFile({ as: 'notShown', why: 'damaged' }, byFormer)],
	['list of files', () => showFile(pagesOf(1), byFormer)],
])(
	'for an owner who is disabled, the %s names the company to ask, where it says how',
	(_page, render) => {
		const html = render();
		expect(html).toContain(`<a href="${branded.links.help}"><bdi>Berger &amp; Söhne`);
		expect(html.replace(/From <a[^]*?<\/a>/, '')).not.toContain(states.OLIVIA);
		// Nobody would read it.
		expect(html).not.toContain('name="note"');
	},
);

it('a refusal has a form that asks the sender for access, and says what happens next', () => {
	const html = states.signedInStates.ended(page);
	expect(html).toContain('action="/c/2f6c1a4e-93d7-4b0a-8c55-0e7d21fa9b36/access"');
	expect(html).toMatch(/<textarea[^>]* name="note"[^>]* maxlength="200"/);
	expect(html).toContain('>Ask for Access<');
	const asked = states.signedInStates.asked(page);
	expect(asked).toMatch(
		/reads your request and decides[^]*the same link opens the files[^]*Try Again/,
	);
	expect(asked).not.toContain('?lang=');
	expect(states.signedInStates.askedWithoutNote(page)).not.toContain('Your note');
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
	const name = 'photo\u202egpj.exe';
	const html = showFile({ as: 'notShown', why: 'kind' }, { file: { name, type: '' } });
	expect(html).toMatch(/\.exe<[^]*EXE file/);
	expect(html).not.toContain('\u202e');
	const email = 'olive?subject=x&body=y@example.com';
	const asksForPassword = passwordPage(page, { ...states.owner, email });
	expect(asksForPassword).toContain(`mailto:${encodeURIComponent(email)}"`);
});

it.each([
	[{ isDownloadable: true }, [], ['For viewing only']],
	[{ isDownloadable: false }, ['Each page shows your address and the time.'], ['?download']],
	[
		{ isDownloadable: false, isMarked: false },
		['The sender doesn’t offer these files for download.'],
		['your address', '?download'],
	],
])('a page of a document with %j says what the sender allows', (state, said, unsaid) => {
	const html = showFile(pagesOf(3), state);
	const download = state.isDownloadable ? ['href="/c/2f6c1a4e'] : [];
	for (const sentence of [...said, ...download]) expect(html).toContain(sentence);
	for (const sentence of unsaid) expect(html).not.toContain(sentence);
});

it('shows 20 pages one under another as pictures, with their text for screen readers', () => {
	const html = showFile(pagesOf(48));
	const pictures = html.match(/<img src="[^"]*\/files\/0\/pages\/\d+" alt="[^"]*"/g)!;
	expect(pictures).toHaveLength(20);
	expect(pictures[19]).toMatch(/pages\/20" alt="Page 20 of 48"$/);
	expect(html.match(/<div class="text unseen" dir="auto">Guten Tag/g)).toHaveLength(20);
	expect(html.match(/The text of this page goes on/g)).toHaveLength(1);
	expect(html).toMatch(/href="[^"]*from=21#page-21">Next 20</);
	expect(html).not.toContain('Previous');
	expect(html).toContain('PDF, 48 pages, 14 kB');
	const last = showFile(pagesOf(48, { first: 41 }));
	expect(last.match(/<figure/g)).toHaveLength(8);
	expect(last).toMatch(/href="[^"]*from=21#page-21">Previous 20</);
	expect(last).not.toContain('>Next');
	expect(last).toContain('Pages 41 to 48 of 48');
});

it('leads from an entry of the outline to its page', () => {
	const html = showFile(pagesOf(48));
	expect(html).toMatch(/<li class="level-1"><a href="[^"]*\?file=0#page-2"><bdi>Bilanz</);
	expect(html).toMatch(/<li class="level-2"><a href="[^"]*\?file=0&amp;from=21#page-37">/);
});

it('is larger by a step, or a text, and goes back', () => {
	const url = `${page.path}?file=0`;
	expect(showFile(pagesOf(48))).toContain(`href="${url}&amp;large=#file">Larger<`);
	const large = showFile(pagesOf(48), { request: { isLarge: true } });
	expect(large).toContain(`href="${url}#file">Smaller<`);
	expect(large).toMatch(/pages\/1\?large"/);
	expect(large).toContain('<div class="pages large" role="group"');
	const asText = showFile(pagesOf(48), { request: { isText: true } });
	expect(asText).toContain(`href="${url}#file">Show as Pages<`);
	expect(asText).toContain('<div class="text" dir="auto">Guten Tag');
	expect(asText).not.toMatch(/<img src="[^"]*\/pages\//);
});

it('says that a code is on its way, or comes late where no mails can be sent', () => {
	const onItsWay = codePage(page, { email: states.ANNA });
	const late = codePage(page, { email: states.ANNA, problem: 'late' });
	expect(onItsWay).toContain('a code is on its way');
	expect(onItsWay).not.toContain('Emails can’t be sent at the moment');
	expect(late).toContain('Emails can’t be sent at the moment');
	expect(late).not.toContain('a code is on its way');
});

it.each([
	['forbidden, and says so', 'forbidden', true],
	['off', 'off', false],
] as const)('offers no text where it is %s', (_title, text, isSaid) => {
	const html = showFile(pagesOf(3, { text }));
	expect(html).not.toContain('Show as Text');
	expect(html.includes('doesn’t allow its text to be read aloud')).toBe(isSaid);
});

it('a picture is known by its name, and has no number to jump to', () => {
	const html = showFile(pagesOf(1), { file: { name: 'lake.jpg', type: 'image/jpeg' } });
	expect(html).toContain('alt="lake.jpg"');
	expect(html).not.toMatch(/name="page"|<figcaption/);
});

it('a table has its first row as its head', () => {
	const rows = [
		['Name', 'City'],
		['Ada', 'London'],
	];
	const html = showFile({ ...whole, rows }, { isDownloadable: false });
	expect(html).toMatch(/<th[^>]*>Name<[^]*<td[^>]*>London</);
	expect(html).toContain('can be copied');
});

it('a table leads to the rows behind its last one, and to as many before its first one', () => {
	const rows = Array.from({ length: ROWS_AT_ONCE }, () => ['Ada']);
	const [before, first, behind] = [1, 2, 3].map((part) => part * ROWS_AT_ONCE + 1);
	const html = showFile({ ...whole, rows, first, hasMore: true, header: ['Name'] });
	expect(html).toMatch(new RegExp(`from=${before}#row-${before}"[^>]*>Previous`));
	expect(html).toMatch(new RegExp(`from=${behind}#row-${behind}"[^>]*>Next`));
});

it.each([
	['kind', 'no pages to show', 'for a PDF of it'],
	['media', 'play only where they are offered', 'about it'],
	['broken', 'It is damaged', 'for a PDF of it'],
	['locked', 'a password of its own', 'for a PDF of it'],
	['unread', 'a password of its own, or it isn’t', 'for a PDF of it'],
	['tooHeavy', 'too large', 'for a PDF of it'],
	['timedOut', 'too long', 'for a PDF of it'],
] as const)('says why a file is not shown (%s), and what to do', (why, reason, advice) => {
	const content = { as: 'notShown', why } as const;
	const offered = showFile(content);
	expect(offered).toContain(reason);
	expect(offered.match(/\?download"/g)).toHaveLength(1);
	const html = showFile(content, { isDownloadable: false });
	for (const part of ['can’t be shown here', reason, advice]) expect(html).toContain(part);
	expect(html).not.toContain('?download');
});

it.each([
	['busy', 'Load this page again in a minute.'],
	['damaged', 'to send it again'],
] as const)('a file that could be shown (%s) is not sent for by another way', (why, advice) => {
	expect(showFile({ as: 'notShown', why })).toContain(advice);
});

it('the page of the files is as wide as they need, and a link for the keyboard leads past its head', () => {
	const html = showFile(pagesOf(1));
	expect(html).toContain('<body class="wide">');
	expect(html).toMatch(/<a class="skip" href="#files">[^]*<main id="files" tabindex="-1">/);
});

it('above one file, has a list that leads to each file, and stays small with 20 of them', () => {
	const files = Array.from({ length: 20 }, (_, index) => ({
		...{ ...file, index, name: `Jahresabschluss ${index} der Weber Holzbau GmbH.pdf` },
	}));
	const shown = { file: files[3], request: { ...request, file: 3 }, content: pagesOf(48) };
	const html = filesPage(page, { ...shared, files, shown });
	for (const { index, name } of files) {
		const current = index === 3 ? ' aria-current="true"' : '';
		const link = `<a href="${page.path}?file=${index}#file"${current}>`;
		expect(html).toMatch(
			new RegExp(`${link.replaceAll('?', '\\?')}.*<bdi>${name}</bdi>.*PDF, 14 kB`),
		);
	}
	expect(html.match(/<section/g)).toHaveLength(1);
	expect(html).toContain('20 files, 287 kB');
	expect(Buffer.byteLength(html)).toBeLessThan(60_000);
	expect(showFile(pagesOf(1))).not.toContain('class="files"');
	const before = process.cpuUsage();
	for (let n = 0; n < 10; n++) filesPage(page, { ...shared, files, shown });
	const { user, system } = process.cpuUsage(before);
	expect((user + system) / 10 / 1000).toBeLessThan(100);
});

it.each([
	['report.zip', 'kind.archive'],
	['report.7z', 'kind.archive'],
	['report.DOCX', 'kind.document'],
	['report.doc', 'kind.document'],
	['report.xlsx', 'kind.table'],
	['report.xls', 'kind.table'],
	['report.pptx', 'kind.presentation'],
	['report.ppt', 'kind.presentation'],
	['report.dwg', 'kind.ending'],
	['report', 'kind.other'],
])('%s is named by %s', (name, sentence) => {
	const sent = { name, type: BYTES, size: 9 };
	expect(getKindSentence(sent, getFileKind(sent, shared))).toBe(sentence);
});

it.each([
	['report.docx', 'kind.document'],
	['report.xlsx', 'kind.table'],
	['report.pptx', 'kind.presentation'],
])('%s is named by %s also where its pages are shown', (name, sentence) => {
	const sent = { name, type: BYTES, size: 9 };
	const kind = getFileKind(sent, { isOfficeShown: true });
	expect([kind.shown, getKindSentence(sent, kind)]).toEqual(['pages', sentence]);
});

const kindOf = (name: string, type: string) => getFileKind({ name, type, size: 9 }, shared);

it.each([
	['report', 'application/pdf', 'pages', BYTES],
	['photo', 'IMAGE/PNG; name=x', 'pages', BYTES],
	['film', 'video/mp4', 'video', 'video/mp4'],
	['notes', 'text/plain; charset=utf-16', 'text', 'text/plain'],
	['page.html', 'application/json', 'text', 'text/plain'],
	['list', 'text/csv', 'table', 'text/plain'],
	['photo.JPG', '', 'pages', BYTES],
	['notes.md', BYTES, 'text', 'text/plain'],
	['list.csv', '', 'table', 'text/plain'],
	['page.html', '', undefined, BYTES],
	['photo.png.exe', '', undefined, BYTES],
	['png', '', undefined, BYTES],
])('%s of type %j is shown as %s', (name, type, shown, contentType) => {
	const kind = kindOf(name, type);
	expect([kind.shown, kind.contentType]).toEqual([shown, contentType]);
});

it.each(['report.pdf', 'photo.png', 'plan.svg'])(
	'%s is never a text, whatever its type says',
	(name) => {
		expect(['text', 'table']).not.toContain(kindOf(name, 'text/plain').shown);
	},
);

it.each([
	...['text/html', ' TEXT/HTML;charset=utf-8', 'application/xhtml+xml'],
	...['text/rtf', 'image/x-unknown', 'application/x-msdownload'],
	...['image/png\n, text/html', 'constructor', 'image/png/../html'],
])('a file of type %j is never shown', (type) => {
	const kind = kindOf('page.bin', type);
	expect(kind).toEqual({ contentType: BYTES });
});

it.each([
	[{ name: 'report.pdf', type: 'application/pdf' }, true],
	[{ name: 'notes.txt', type: 'text/plain' }, true],
	[{ name: 'list.csv', type: 'text/csv' }, true],
	[{ name: 'song.mp3', type: 'audio/mpeg' }, false],
	[{ name: 'film.mp4', type: 'video/mp4' }, false],
	[{ name: 'files.zip', type: 'application/zip' }, false],
	[{ name: 'report.pdf', type: 'application/pdf', hidden: true }, false],
])('%j is shown without the file itself: %s', (sent, isAlone) => {
	expect(isShownAlone({ size: 9, ...sent }, shared)).toBe(isAlone);
});

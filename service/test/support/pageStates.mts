import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBrand } from '../../src/brand/brand.mts';
import { limitLanguages, readLanguages } from '../../src/brand/languages.mts';
import { createSite, type Site } from '../../src/brand/site.mts';
import { createCodeMail } from '../../src/open/signIn/codeMail.mts';
import type { FileContent, PagesContent } from '../../src/open/view/fileContent.mts';
import { filesPage, type PageFile, type Shown } from '../../src/open/view/filesPage.mts';
import * as pages from '../../src/open/pages.mts';
import type { PageContext } from '../../src/open/templates.mts';
import type { ViewProblem } from '../../src/open/view/viewProblems.mts';
import { ANNA, owner, refusedStates } from './refusedStates.mts';
import { sendStates } from './sendStates.mts';

export { ANNA, formerOwner, OLIVIA, owner } from './refusedStates.mts';

export const BRAND_FOLDER = join(import.meta.dirname, '../fixtures/brand');
const HOST = 'files.berger.example';
const PATH = '/c/2f6c1a4e-93d7-4b0a-8c55-0e7d21fa9b36';
export const CODE = '48219036';

const style = readFileSync(join(import.meta.dirname, '../../pages/style.css'), 'utf8');
export const languages = limitLanguages(readLanguages());

/** The pages of a company, or of nobody in particular. */
export function createTestSite({ isBranded = true } = {}): Site {
	return createSite({
		brand: isBranded ? readBrand(BRAND_FOLDER) : undefined,
		languages,
		publicUrl: `https://${HOST}`,
		sender: 'code@berger.example',
		timeZone: 'Europe/Berlin',
		style,
	});
}

export function getPage(site: Site, tag: string, visitor?: string): PageContext {
	const texts = site.languages.find((language) => language.tag === tag)!;
	return { site, texts, path: PATH, isRequest: false, visitor };
}

const long = 'Nachweis_ueber_die_Abschreibung_der_Maschinen_und_Anlagen_'.repeat(3);
const letter = `Guten Tag Frau Weber,

in diesem Paket finden Sie den Jahresabschluss 2025 und alle Belege.

Mit freundlichen Grüßen
Olivia Berger`;

const toFile = (name: string, size: number): PageFile => ({ index: 0, name, type: '', size });

/** Of each kind one, and some more: names that are long, odd, or in another script. */
const manyFiles: PageFile[] = [
	toFile('Jahresabschluss 2025.pdf', 2_400_000),
	toFile('Bitte zuerst lesen.txt', 2000),
	toFile('Inventur Lager Nord.jpg', 4_200_000),
	toFile('Anlagenspiegel 2025.xlsx', 92_000),
	toFile('Vollständigkeitserklärung.docx', 41_000),
	toFile('Belege 2025.zip', 26_000_000),
	toFile('Grundriss.dwg', 3_100_000),
	toFile('ملف سري.pdf', 310_000),
	toFile('Diktat.mp3', 999_700),
	toFile('Rundgang.mp4', 3_000_000),
	toFile(`${long}.pdf`, 96_000),
	toFile('ohne Endung', 1),
	toFile('Kontakte.csv', 4000),
].map((file, index) => ({ ...file, index }));

/** The first or some later pages of a document. */
export const toPages = (
	count: number,
	{ first = 1, text = 'shown' }: PagesOptions = {},
): PagesContent => ({
	as: 'pages',
	count,
	text,
	lacksGlyphs: count === 1,
	outline: [
		{ title: 'Bilanz', page: 2, level: 1 },
		{ title: long, page: 37, level: 2 },
	],
	pages: Array.from({ length: Math.min(20, count - first + 1) }, (_, index) => ({
		...{ number: first + index, width: 909, height: 1286, text: letter, isTextCut: index === 1 },
	})),
});

interface PagesOptions {
	first?: number;
	text?: PagesContent['text'];
}

/** What the page shows of one of the files above. */
function show(index: number, content: FileContent, request: Partial<Shown['request']> = {}): Shown {
	const asked = { file: index, from: 1, isLarge: false, isText: false, ...request };
	return { file: manyFiles[index], request: asked, content };
}

const notShown = (why: ViewProblem): FileContent => ({ as: 'notShown', why });
const table: FileContent = {
	as: 'table',
	first: 1,
	hasMore: true,
	rows: [
		['Name', 'Adresse', long],
		['Anna Weber', ANNA, ''],
	],
	isCut: true,
};

const state = {
	...{
		owner,
		name: 'Unterlagen 2025',
		isDownloadable: true,
		isMarked: false,
		isOfficeShown: false,
	},
	files: manyFiles,
};
const viewOnly = { ...state, isDownloadable: false, isMarked: true };
const limits = { lastDay: '2026-12-31', openingsLeft: 3 };
const MINUTE_MS = 60_000;

type Render = (page: PageContext) => string;

/** All pages that somebody sees before it is known who they are. */
export const openStates: Record<string, Render> = {
	signIn: (page) => pages.signInPage(page),
	noAddress: (page) => pages.signInPage(page, { email: 'anna', problem: 'address' }),
	expired: (page) => pages.signInPage(page, { problem: 'expired' }),
	code: (page) => pages.codePage(page, { email: ANNA }),
	lateCode: (page) => pages.codePage(page, { email: ANNA, problem: 'late' }),
	wrongCode: (page) => pages.codePage(page, { email: ANNA, problem: 'wrong' }),
	tooManyCodes: (page) =>
		pages.codePage(page, { email: ANNA, problem: 'refused', wait: 25 * MINUTE_MS }),
	tooManyWrongCodes: (page) =>
		pages.codePage(page, { email: ANNA, problem: 'blocked', wait: 60 * MINUTE_MS }),
	incomplete: pages.incompletePage,
	root: (page) => pages.rootPage(page, { isKnown: true }),
	unknown: (page) => pages.rootPage(page, { isKnown: false }),
	signInToSend: (page) => pages.signInPage({ ...page, isRequest: true }),
	signedOutMeanwhile: (page) =>
		pages.signInPage({ ...page, isRequest: true }, { problem: 'signedOut' }),
	codeToSend: (page) => pages.codePage({ ...page, isRequest: true }, { email: ANNA }),
	failure: (page) => pages.failurePage(page, 'failure.title', 'failure.later'),
};

/** Those after it. */
export const signedInStates: Record<string, Render> = {
	known: (page) => pages.continuePage({ ...page, visitor: undefined }, ANNA, owner),
	password: (page) => pages.passwordPage(page, owner),
	wrongPassword: (page) => pages.passwordPage(page, owner, { left: 3, wait: 0 }),
	lastPassword: (page) => pages.passwordPage(page, owner, { left: 0, wait: 60 * MINUTE_MS }),
	oneFile: (page) =>
		filesPage(page, {
			...{ ...state, ...limits },
			files: manyFiles.slice(0, 1),
			shown: show(0, toPages(48)),
		}),
	oneText: (page) =>
		filesPage(page, {
			...{ ...state, files: manyFiles.slice(1, 2) },
			shown: show(1, { as: 'text', text: letter, isCut: true }),
		}),
	onePicture: (page) => filesPage(page, { ...viewOnly, shown: show(2, toPages(1)) }),
	table: (page) => filesPage(page, { ...viewOnly, shown: show(12, table) }),
	player: (page) =>
		filesPage(page, { ...state, shown: show(8, { as: 'player', element: 'audio' }) }),
	manyFiles: (page) => filesPage(page, { ...state, ...limits, shown: show(0, toPages(48)) }),
	larger: (page) => filesPage(page, { ...state, shown: show(0, toPages(48), { isLarge: true }) }),
	asText: (page) =>
		filesPage(page, {
			...viewOnly,
			shown: show(0, toPages(48, { first: 21 }), { from: 21, isText: true }),
		}),
	viewOnly: (page) => filesPage(page, { ...viewOnly, shown: show(0, toPages(48, { first: 41 })) }),
	unread: (page) =>
		filesPage(page, { ...viewOnly, shown: show(0, toPages(3, { text: 'forbidden' })) }),
	notShown: (page) => filesPage(page, { ...state, shown: show(5, notShown('kind')) }),
	notShownViewOnly: (page) => filesPage(page, { ...viewOnly, shown: show(5, notShown('kind')) }),
	empty: (page) => filesPage(page, { ...viewOnly, shown: show(0, notShown('empty')) }),
	notPlayed: (page) => filesPage(page, { ...viewOnly, shown: show(9, notShown('media')) }),
	broken: (page) => filesPage(page, { ...viewOnly, shown: show(0, notShown('broken')) }),
	locked: (page) => filesPage(page, { ...state, shown: show(0, notShown('locked')) }),
	tooHeavy: (page) => filesPage(page, { ...viewOnly, shown: show(0, notShown('tooHeavy')) }),
	timedOut: (page) => filesPage(page, { ...state, shown: show(0, notShown('timedOut')) }),
	busy: (page) => filesPage(page, { ...viewOnly, shown: show(0, notShown('busy')) }),
	damaged: (page) => filesPage(page, { ...state, shown: show(1, notShown('damaged')) }),
	noFiles: (page) => filesPage(page, { ...state, files: [] }),
	...refusedStates,
	...sendStates,
	gone: pages.gonePage,
};

/** All pages of a site in a language, by the names of their states. */
export function renderStates(site: Site, tag: string): Array<[state: string, html: string]> {
	const open = Object.entries(openStates).map(([name, render]) => [name, render, undefined]);
	const signedIn = Object.entries(signedInStates).map(([name, render]) => [name, render, ANNA]);
	return ([...open, ...signedIn] as Array<[string, Render, string?]>).map(
		([name, render, visitor]) => [name, render(getPage(site, tag, visitor))],
	);
}

/** The mail with a code. */
export function createTestMail(site: Site, tag: string, by = owner) {
	const { texts } = getPage(site, tag);
	const link = { id: PATH.replace('/c/', ''), path: PATH, isRequest: false };
	const until = Date.UTC(2026, 10, 28, 15, 52);
	return createCodeMail(site, texts, { link, code: CODE, address: ANNA, owner: by, until });
}

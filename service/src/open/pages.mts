import { isolate, linkAddress } from '../brand/markup.mts';
import type { Texts } from '../brand/texts.mts';
import { findContact, type Owner } from './contact.mts';
import { toFilesPath, toRequestPath } from './links.mts';
import { renderPage, renderTemplate, type PageContext } from './templates.mts';

const EXAMPLE = 'ada@example.com';
const EXAMPLE_ID = '2f6c1a4e-93d7-4b0a-8c55-0e7d21fa9b36';
const MINUTE_MS = 60_000;

interface SignIn {
	email: string;
	/** What was entered is no address, what was sent is not valid any more, or files came without a session. */
	problem: 'address' | 'expired' | 'signedOut';
}

export function signInPage(page: PageContext, { email, problem }: Partial<SignIn> = {}): string {
	const { site, texts } = page;
	const key = page.isRequest ? 'signInToSend' : 'signIn';
	const lead = site.isBranded
		? texts.html(`${key}.lead`, { brand: isolate(site.name) })
		: texts.html(`${key}.leadUnbranded`);
	const title = texts.text(`${key}.title`);
	const example = isolate(EXAMPLE);
	return renderPage('signIn', page, {
		title,
		isProblem: problem !== undefined,
		lead,
		email,
		isNoAddress: problem === 'address',
		isExpired: problem === 'expired',
		isSignedOut: problem === 'signedOut',
		example,
	});
}

interface CodeState {
	email: string;
	/** What is to be said about codes: mails are late, it was wrong, or too many were requested or entered. */
	problem?: 'late' | 'wrong' | 'refused' | 'blocked';
	/** Where there were too many: how long to wait. */
	wait?: number;
}

/** Asks for the code that was sent, or says why none was. */
export function codePage(page: PageContext, { email, problem, wait = 0 }: CodeState): string {
	const { texts, site } = page;
	const address = isolate(email);
	const isLimited = problem === 'refused' || problem === 'blocked';
	const sentence = problem === 'refused' ? 'codes.next' : 'codes.blocked';
	const key = page.isRequest ? 'codeToSend' : 'code';
	return renderPage('code', page, {
		title: texts.text('code.title'),
		isProblem: problem === 'wrong' || isLimited,
		email,
		lead: texts.html(`${key}.${problem === 'late' ? 'late' : 'lead'}`, { address }),
		button: texts.html(`${key}.button`),
		isWrong: problem === 'wrong',
		limited: isLimited && texts.html(sentence, describeWait(texts, wait)),
		isRefused: problem === 'refused',
		sender: isolate(site.sender),
		// After a POST, a link to another language would lead back to the first page.
		switchForm: { action: `${page.path}/language`, fields: { email } },
	});
}

/** For whoever proved their address for other files: a click opens these, which is counted. */
export function continuePage(page: PageContext, address: string, { email }: Owner): string {
	return renderPage('continue', page, {
		title: page.texts.text('continue.title'),
		address: isolate(address),
		owner: linkAddress(email),
	});
}

/** How many tries are left in this hour, and how long to wait for the next one. */
export interface PasswordProblem {
	left: number;
	/** In milliseconds. */
	wait: number;
}

export function passwordPage(page: PageContext, owner: Owner, problem?: PasswordProblem): string {
	const { texts, site } = page;
	return renderPage('password', page, {
		title: texts.text('password.title'),
		isProblem: problem !== undefined,
		problem: problem && describePasswordProblem(texts, problem),
		contact: findContact(site, owner),
	});
}

function describePasswordProblem(texts: Texts, problem: PasswordProblem): string {
	if (problem.left > 0) return texts.html('password.wrong', { tries: problem.left });
	return texts.html('password.locked', describeWait(texts, problem.wait));
}

/** The time of the day, and the minutes until then. */
export function describeWait(texts: Texts, milliseconds: number) {
	const minutes = Math.ceil(milliseconds / MINUTE_MS);
	// The minute has begun in which the time is shown.
	const time = texts.time(Date.now() + milliseconds + MINUTE_MS);
	return { time, wait: texts.text('page.wait', { minutes }) };
}

/** In the place of a picture that can't be shown. */
export const missingPicture = ({ texts }: PageContext): string =>
	renderTemplate('missingPicture', { texts, html: texts.html });

/** The files were deleted. Only whoever was let in before is told so. */
export function gonePage(page: PageContext): string {
	const { html, text } = page.texts;
	return renderPage('message', page, {
		title: text('gone.title'),
		paragraphs: [html('gone.lead')],
	});
}

export function incompletePage(page: PageContext): string {
	const path = page.isRequest ? toRequestPath(EXAMPLE_ID) : toFilesPath(EXAMPLE_ID);
	const link = page.site.origin + path;
	return renderPage('incomplete', page, { title: page.texts.text('incomplete.title'), link });
}

/** At the root, or at a path that leads nowhere. */
export function rootPage(page: PageContext, { isKnown }: { isKnown: boolean }): string {
	const { site, texts } = page;
	const lead = site.isBranded
		? texts.html('root.lead', { brand: isolate(site.name) })
		: texts.html('root.leadUnbranded');
	return renderPage('message', page, {
		title: texts.text(isKnown ? 'root.title' : 'unknown.title'),
		paragraphs: [lead, texts.html('root.go')],
		showsHelp: true,
	});
}

/** What went wrong, in the words of a sentence such as `failure.later`. */
export function failurePage(page: PageContext, title: string, sentence: string): string {
	const { html, text } = page.texts;
	return renderPage('message', page, {
		title: text(title),
		isProblem: true,
		paragraphs: [html(sentence)],
	});
}

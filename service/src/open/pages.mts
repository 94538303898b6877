import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import { describeDay } from '../containers/rules.mts';
import { formatSize, getFileKind } from './fileKinds.mts';

/** A page with hundreds of viewers is too much for a phone. */
const MAX_PREVIEWS = 20;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Templates put double quotes around attributes: others aren't safe. */
function escape(value: unknown): string {
	if (value === undefined || value === false) return '';
	// Characters that reverse text could make photo.exe look as if it ended in .jpg.
	const text = String(value).replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
	return text.replace(/[&<>"]/g, (character) => ESCAPES[character]);
}

const views = fileURLToPath(new URL('../../pages', import.meta.url));
const templates = new Eta({ views, cache: true, escapeFunction: escape });

type FormState = { path: string; email?: string; problem?: string };
interface Form {
	title: string;
	lead: string;
	/** Where it is sent: the end of the path. */
	step: 'code' | 'open' | 'password';
	label: string;
	button: string;
	/** Of the field. */
	type: 'text' | 'password';
	/** Which keyboard a phone shows. */
	inputmode?: 'email' | 'numeric';
	name: string;
	value?: string;
	autocomplete: string;
}
const formPage = (state: FormState, form: Form) => templates.render('form', { ...state, ...form });

export const signInPage = (state: FormState) =>
	formPage(state, {
		title: 'Sign in to open this container',
		lead: "You'll get a code by email. You don't need an account.",
		step: 'code',
		label: 'Email address',
		button: 'Send Code',
		// A field of the type "email" refuses jörg@example.com.
		type: 'text',
		inputmode: 'email',
		name: 'email',
		value: state.email,
		autocomplete: 'email',
	});

export const passwordPage = (state: FormState) =>
	formPage(state, {
		title: 'Enter the password',
		lead: 'The sender protected this container with a password.',
		step: 'password',
		label: 'Password',
		button: 'Open',
		type: 'password',
		name: 'password',
		autocomplete: 'off',
	});

interface CodeState extends FormState {
	email: string;
	/** What is to be said about codes: too many were requested (`refused`), or entered (`blocked`). */
	codes: 'sent' | 'late' | 'refused' | 'blocked';
}

export function codePage({ codes, ...state }: CodeState): string {
	const leads = {
		sent: `If ${state.email} may open this container, a code is on its way. It is valid for ten minutes.`,
		late: `Mails can't be sent at the moment. If ${state.email} may open this container, a code comes within an hour.`,
		refused: 'A code that you already have stays valid for ten minutes.',
		blocked: 'Until then, no code is accepted from your network.',
	};
	return formPage(state, {
		title: 'Enter your code',
		lead: leads[codes],
		step: 'open',
		label: 'Code',
		button: 'Open',
		type: 'text',
		inputmode: 'numeric',
		name: 'code',
		autocomplete: 'one-time-code',
	});
}

/** In minutes, rounded up: `1 minute`, `23 minutes`. */
export function describeWait(milliseconds: number): string {
	const minutes = Math.ceil(milliseconds / 60_000);
	return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

export const problemPage = (problem: { title: string; sentence: string; owner?: string }) =>
	templates.render('problem', problem);
export const refusalPage = (refusal: { sentence: string; owner: string }) =>
	problemPage({ title: "You can't open this container", ...refusal });

type TextPreview = { text?: string; textIsCut?: boolean; textIsMissing?: boolean };
export type PageFile = { index: number; name: string; type: string; size: number } & TextPreview;
type Limits = { lastDay?: string; opensLeft?: number; downloadable: boolean };
type Container = Limits & { path: string; owner: string; name: string; files: PageFile[] };

export function containerPage({ files, lastDay, ...container }: Container): string {
	const isShown = (file: PageFile) => getFileKind(file).shown !== undefined;
	const previewed = files.filter(isShown).slice(0, MAX_PREVIEWS);
	const described = files.map((file) => {
		const kind = getFileKind(file);
		const isPlayed = kind.shown === 'audio' || kind.shown === 'video';
		const size = formatSize(file.size);
		const url = `${container.path}/files/${file.index}`;
		return { ...file, ...kind, isPlayed, size, url, isPreviewed: previewed.includes(file) };
	});
	const day = lastDay && describeDay(lastDay);
	return templates.render('container', { ...container, files: described, lastDay: day });
}

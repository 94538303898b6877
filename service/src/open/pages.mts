import { describeDay } from '../containers/rules.mts';
import { formatSize, getFileKind } from './fileKinds.mts';

/** A page with hundreds of viewers is too much for a phone. */
const MAX_PREVIEWS = 20;

export type PageFile = { index: number; name: string; type: string; size: number };
type FormPageOptions = { path: string; email?: string; problem?: string };

export function signInPage({ path, email, problem }: FormPageOptions): string {
	const field = html`type="email" name="email" value="${email}" autocomplete="email"`;
	return formPage('Sign in to open this container', {
		lead: "You'll get a code by email. You don't need an account.",
		form: { action: `${path}/code`, label: 'Email address', field, button: 'Send Code' },
		problem,
	});
}

export function codePage({ path, email, problem }: FormPageOptions & { email: string }): string {
	const field = html`name="code" inputmode="numeric" autocomplete="one-time-code"`;
	const hidden = html`<input type="hidden" name="email" value="${email}" />`;
	return formPage('Enter your code', {
		lead: `If ${email} may open this container, a code is on its way. It is valid for ten minutes.`,
		form: { action: `${path}/open`, label: 'Code', field, hidden, button: 'Open' },
		problem,
		more: html`<p>No code? Look in your spam folder too.</p>
			<form class="actions" method="post" action="${path}/code">
				${hidden}<button class="other">Send Another Code</button>
				<a href="${path}">Use another address</a>
			</form>`,
	});
}

export function passwordPage({ path, problem }: FormPageOptions): string {
	const field = html`type="password" name="password" autocomplete="off"`;
	return formPage('Enter the password', {
		lead: 'The sender protected this container with a password.',
		form: { action: `${path}/password`, label: 'Password', field, button: 'Open' },
		problem,
	});
}

/** Days are such as 2026-12-31; what is missing is not limited. */
type Limits = { lastDay?: string; opensLeft?: number; downloadable: boolean };
type Container = Limits & { path: string; owner: string; name: string; files: PageFile[] };

export function containerPage(container: Container): string {
	const { path, owner, name, lastDay, opensLeft, downloadable, files } = container;
	const previewed = files.filter((file) => getFileKind(file).shown).slice(0, MAX_PREVIEWS);
	const openings = opensLeft === 1 ? 'opening' : 'openings';
	return page(name, {
		main: html`<p>Shared by ${owner}</p>
			${lastDay !== undefined && html`<p>Available until ${describeDay(lastDay)}.</p>`}
			${opensLeft !== undefined && html`<p>${opensLeft || 'No'} ${openings} left.</p>`}
			${!downloadable && html`<p>The sender doesn't offer these files for download.</p>`}
			${files.length === 0 && html`<p>There are no files to show.</p>`}
			${files.map((file) =>
				article({ file, path, downloadable, isPreviewed: previewed.includes(file) }),
			)}
			<footer>Something doesn't open? ${askLink(owner)}</footer>`,
	});
}

export function refusalPage({ sentence, owner }: { sentence: string; owner: string }): string {
	const main = html`<p>${sentence}</p>
		<p>Need access? ${askLink(owner)}</p>`;
	return page("You can't open this container", { main });
}

export function problemPage({ title, sentence }: { title: string; sentence: string }): string {
	return page(title, { main: html`<p>${sentence}</p>` });
}

type Form = { action: string; label: string; field: Html; hidden?: Html; button: string };
type FormParts = { lead: string; form: Form; problem?: string; more?: Html };

function formPage(title: string, { lead, form, problem, more }: FormParts): string {
	const invalid = problem ? 'true' : 'false';
	const state = html`aria-invalid="${invalid}" aria-describedby="${problem && 'problem '}lead"`;
	return page(title, {
		problem,
		main: html`<p id="lead">${lead}</p>
			<form method="post" action="${form.action}">
				${form.hidden}<label for="field">${form.label}</label>
				${problem && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
				<input id="field" ${form.field} ${state} required autofocus />
				<button>${form.button}</button>
			</form>
			${more}`,
	});
}

type ArticleOptions = { file: PageFile; path: string; downloadable: boolean; isPreviewed: boolean };

function article({ file, path, downloadable, isPreviewed }: ArticleOptions): Html {
	const { label, shown } = getFileKind(file);
	const [url, name] = [`${path}/files/${file.index}`, file.name];
	const what = html`<span class="unseen"> ${name}</span>`;
	// Chromium's viewer and players have buttons to save.
	const tab = downloadable ? html`href="${url}"` : html`class="button" href="${url}#toolbar=0"`;
	const controls = html`controls ${!downloadable && html`controlslist="nodownload"`}`;
	// These files don't play in a tab of their own; a player costs nothing until it loads one.
	const isPlayed = shown === 'audio' || shown === 'video';
	const player = html`${controls} preload="${isPreviewed ? 'metadata' : 'none'}"`;
	const frame = html`class="${shown}" src="${url}#toolbar=0" title="${name}" loading="lazy"`;
	const previews = {
		pdf: html`<iframe ${frame}></iframe>`,
		text: html`<iframe ${frame}></iframe>`,
		image: html`<img src="${url}" alt="${name}" loading="lazy" />`,
		audio: html`<audio src="${url}" title="${name}" ${player}></audio>`,
		video: html`<video src="${url}" title="${name}" ${player}></video>`,
	};
	return html`<article>
		<h2 dir="auto">${name}</h2>
		<p class="quiet">${label}, ${formatSize(file.size)}</p>
		${!shown && !downloadable && html`<p>This kind of file can't be shown here either.</p>`}
		<div class="actions">
			${downloadable && html`<a class="button" href="${url}?download">Download${what}</a>`}
			${shown && !isPlayed && html`<a ${tab} target="_blank">Open in a new tab${what}</a>`}
		</div>
		${shown && (isPreviewed || isPlayed) && previews[shown]}
	</article>`;
}

const askLink = (owner: string) =>
	html`<a href="mailto:${encodeURIComponent(owner)}">Ask ${owner}</a>`;

function page(title: string, { main, problem }: { main: Html; problem?: string }): string {
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="color-scheme" content="light dark" />
				<meta name="robots" content="noindex" />
				<title>${problem && 'Error: '}${title}</title>
				<link rel="stylesheet" href="/style.css" />
			</head>
			<body>
				<main>
					<h1 dir="auto">${title}</h1>
					${main}
				</main>
			</body>
		</html>`.markup;
}

type Value = Html | string | number | false | undefined | Value[];

class Html {
	constructor(readonly markup: string) {}
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A template whose values are escaped. Put double quotes around attributes: others aren't safe. */
function html(strings: TemplateStringsArray, ...values: Value[]): Html {
	return new Html(String.raw({ raw: strings }, ...values.map(toMarkup)));
}

function toMarkup(value: Value): string {
	if (value instanceof Html) return value.markup;
	if (Array.isArray(value)) return value.map(toMarkup).join('');
	if (value === undefined || value === false) return '';
	// Characters that reverse text could make photo.exe look as if it ended in .jpg.
	const text = String(value).replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
	return text.replace(/[&<>"]/g, (character) => ESCAPES[character]);
}

import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import { emphasize, escapeHtml, isolate } from '../brand/markup.mts';
import type { Site } from '../brand/site.mts';
import type { Texts } from '../brand/texts.mts';

/** What all pages of an answer have in common. */
export interface PageContext {
	site: Site;
	texts: Texts;
	/** Where a link to another language leads: GET shows the page, or the one before it. */
	path: string;
	/** Whether it belongs to a request for files. */
	isRequest: boolean;
	/** The address of whoever is signed in. */
	visitor?: string;
}

interface PageContent {
	title: string;
	/** The title says so, which is what a screen reader reads first. */
	isProblem?: boolean;
	/** What the address of the page asks to see: a link to another language keeps it. */
	query?: string;
	[name: string]: unknown;
}

const views = fileURLToPath(new URL('../../pages', import.meta.url));
const templates = new Eta({ views, cache: true, escapeFunction: escapeHtml });

/** Fills in a template. Sentences are `it.html(key)` in a text, and `it.text(key)` in an attribute. */
export function renderPage(template: string, page: PageContext, content: PageContent): string {
	const { html, text } = page.texts;
	const title = content.isProblem ? text('page.error', { title: content.title }) : content.title;
	const documentTitle = `${title} – ${page.site.name}`;
	return templates.render(template, {
		...page,
		...content,
		html,
		text,
		documentTitle,
		host: emphasize(page.site.host),
		visitor: page.visitor === undefined ? undefined : isolate(page.visitor),
	});
}

/** For what has no page around it: mails, and a picture. */
export const renderTemplate = (template: string, content: object) =>
	templates.render(template, content);

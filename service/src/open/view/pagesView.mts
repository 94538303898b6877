import type { PagesContent, ViewedPage } from './fileContent.mts';
import type { PageContext } from '../templates.mts';
import { PAGES_AT_ONCE, toFirst, toViewUrl, type ViewRequest } from './viewUrl.mts';

export interface ShownFile {
	/** Of the file. */
	url: string;
	name: string;
	request: ViewRequest;
}

/** What the template says about the pages of a file that are shown. */
export function toPagesView(page: PageContext, file: ShownFile, content: PagesContent) {
	const { texts } = page;
	const { count, pages, text } = content;
	const first = pages[0].number;
	const last = pages.at(-1)!.number;
	const hasText = text === 'shown';
	const view = { ...file.request, from: first, isText: file.request.isText && hasText };
	return {
		...createLinks(page, view, content),
		count,
		first,
		view,
		hasText,
		isForbidden: text === 'forbidden',
		lacksGlyphs: content.lacksGlyphs && !view.isText,
		isAlone: count === 1,
		range: texts.text('view.range', { first, last, count }),
		pages: pages.map((viewed) => toPageView(page, { ...file, count, view }, viewed)),
	};
}

function createLinks(
	{ path }: PageContext,
	view: ViewRequest,
	{ count, pages, outline }: PagesContent,
) {
	const link = (change: Partial<ViewRequest>, anchor: string) =>
		`${toViewUrl(path, { ...view, ...change })}#${anchor}`;
	const toPage = (number: number) => link({ from: toFirst(number) }, `page-${number}`);
	const { from } = view;
	const behind = count - from - pages.length + 1;
	const next = { url: toPage(from + pages.length), count: Math.min(PAGES_AT_ONCE, behind) };
	const previous = { url: toPage(from - PAGES_AT_ONCE), count: PAGES_AT_ONCE };
	return {
		next: behind > 0 ? next : undefined,
		previous: from > 1 ? previous : undefined,
		sizeUrl: link({ isLarge: !view.isLarge, isText: false }, 'file'),
		textUrl: link({ isText: !view.isText, isLarge: false }, 'file'),
		outline: outline.map(({ title, page, level }) => ({ title, level, url: toPage(page) })),
	};
}

function toPageView(
	{ texts }: PageContext,
	{ url, name, count, view }: ShownFile & { count: number; view: ViewRequest },
	{ number, ...viewed }: ViewedPage,
) {
	const numbers = { page: number, count };
	return {
		...viewed,
		number,
		url: `${url}/pages/${number}${view.isLarge ? '?large' : ''}`,
		// A picture has one page, and is better known by its name.
		label: count === 1 ? name : texts.text('view.pageOf', numbers),
		caption: texts.text('view.caption', numbers),
	};
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Site } from '../brand/site.mts';
import { createPage } from './language.mts';
import { failurePage, gonePage, missingPicture } from './pages.mts';
import type { PageContext } from './templates.mts';

/** Ends a request with a page, in the language of whoever made it. */
export class PageError extends Error {
	constructor(
		readonly statusCode: number,
		readonly render: (page: PageContext) => string,
		options?: ErrorOptions,
	) {
		super('A page says why', options);
	}
}

/** For whoever tried too often: the page says when to come again, and so does the header Retry-After. */
export class TooManyError extends PageError {
	constructor(
		readonly waitMs: number,
		render: (page: PageContext) => string,
	) {
		super(429, render);
	}
}

/** For a picture on a page: it is a picture itself. */
export class PictureError extends PageError {
	constructor(statusCode: number, options?: ErrorOptions) {
		super(statusCode, missingPicture, options);
	}
}

/** @param sentence its key, as for `failurePage` */
export const failure = (statusCode: number, title: string, sentence: string) =>
	new PageError(statusCode, (page) => failurePage(page, title, sentence));

export const gone = () => new PageError(404, gonePage);

export const PAGE_HEADERS = createPageHeaders();

function createPageHeaders() {
	const directives = ['style-src', 'img-src', 'media-src', 'form-action'];
	const fromHere = directives.map((name) => `${name} 'self'`).join('; ');
	return {
		'Content-Type': 'text/html; charset=utf-8',
		'Content-Security-Policy': `default-src 'none'; ${fromHere}; base-uri 'none'; frame-ancestors 'none'`,
		'X-Content-Type-Options': 'nosniff',
		'Referrer-Policy': 'same-origin',
		'Cache-Control': 'no-store',
	};
}

/** Answers a request of a browser that failed, also where no route knows it. */
export async function sendFailurePage(
	site: Site,
	error: Error & { statusCode?: number },
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const { statusCode = 500 } = error;
	const reason = error instanceof PageError ? (error.cause ?? error) : error;
	if (statusCode >= 500) reply.log.error(reason, 'A request failed');
	// Fastify closes where a body is too large, and many clients would not get the response.
	// A browser would save the page as the file.
	void reply.removeHeader('Connection').removeHeader('Content-Disposition').code(statusCode);
	if (error instanceof TooManyError) {
		void reply.header('Retry-After', String(Math.ceil(error.waitMs / 1000)));
	}
	const page = createPage(site, request);
	const sentence = statusCode >= 500 ? 'failure.later' : 'failure.request';
	const html =
		error instanceof PageError ? error.render(page) : failurePage(page, 'failure.title', sentence);
	void reply.headers(PAGE_HEADERS);
	if (error instanceof PictureError) void reply.type('image/svg+xml; charset=utf-8');
	return await reply.send(html);
}

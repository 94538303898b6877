import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Site } from '../brand/site.mts';
import { chooseTexts, type Texts } from '../brand/texts.mts';
import { findLink } from './links.mts';
import type { PageContext } from './templates.mts';

const COOKIE = 'language';
const COOKIE_SECONDS = 365 * 24 * 60 * 60;

/** The page in the language of whoever asks for it. */
export function createPage(site: Site, request: FastifyRequest): PageContext {
	// There are no cookies where a request failed before it was read.
	const chosen = (request.cookies as typeof request.cookies | undefined)?.[COOKIE];
	const texts = chooseTexts(site.languages, chosen, request.headers['accept-language']);
	const { path = '/', isRequest = false } = findLink(request) ?? {};
	return { site, texts, path, isRequest };
}

/** Remembers a language that a visitor chose. @returns nothing where there is no such language */
export function rememberLanguage(site: Site, reply: FastifyReply, tag: unknown): Texts | undefined {
	const texts = site.languages.find((language) => language.tag === tag);
	if (texts === undefined) return undefined;
	const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;
	void reply.setCookie(COOKIE, texts.tag, { ...attributes, maxAge: COOKIE_SECONDS });
	return texts;
}

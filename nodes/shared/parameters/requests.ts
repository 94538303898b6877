import { UserError } from 'n8n-workflow';

import { listLimits, queryOption, userIdOption } from '../descriptions/options';
import type { Parameters } from './fields';
import { describeValue, emptyError, MAX_LENGTH, parseShortText } from './values';

export type QueryParameters = Array<[name: string, value: string]>;

/** What no encoding keeps in its place in a path: a URL drops the two kinds of dots, and proxies may decode a slash. */
const UNUSABLE = /^\.{0,2}$|[/\\\p{Cc}\p{Cs}]/u;

/** In the links from page to page. */
export const SET_FOR_PAGES = ['cursor'];

/** Builds an encoded path below the base URL. @throws UserError about the service: what users enter is parsed before */
export function buildPath(segments: string[]): string {
	const texts = segments.map((segment) => segment.trim());
	if (texts.every(isUsable)) return texts.map((text) => `/${encodeURIComponent(text)}`).join('');
	throw new UserError("The service returned an ID that can't be used in a URL", {
		description: 'Report this to the operator of the service.',
	});
}

/** @throws UserError when no encoding keeps it in its place in a path */
export function parseId(value: unknown, label: string): string {
	const text = String(value ?? '').trim();
	if (text === '') throw emptyError(label, `Enter a value in "${label}".`);
	const isText = typeof value === 'string' || Number.isSafeInteger(value);
	if (isText && isUsable(text)) return text;
	throw new UserError(`"${label}" is not an ID or an email address`, {
		description: `${describeValue(value)} Enter only the ID or the email address in "${label}", as the service shows it and as text: not a URL or a path, without line breaks, and no number of more than 15 digits.`,
	});
}

/** The user to act for: undefined for that of the API key. */
export function readUserId(parameters: Parameters): string | undefined {
	const id = parameters.read(userIdOption);
	return id === '' ? undefined : parseId(id, userIdOption.displayName);
}

/**
 * The names and values of *Query Parameters*; a row without a name doesn't count.
 *
 * @param setByNode names that nobody else can set
 */
export function readQuery(parameters: Parameters, setByNode = SET_FOR_PAGES): QueryParameters {
	const rows = parameters
		.read(queryOption)
		.map(({ name, value }): QueryParameters[0] => [
			parseShortText(name, 'Query Parameters > Name').trim(),
			parseShortText(value, 'Query Parameters > Value'),
		]);
	for (const [name] of rows) {
		if (!setByNode.includes(name)) continue;
		throw new UserError(`The node sets the query parameter "${name}" itself`, {
			description: `Nothing was sent. Remove "${name}" from "${queryOption.displayName}".`,
		});
	}
	return rows.filter(([name]) => name !== '');
}

/** @param seconds that a whole response can take, where they are others than usual */
export function readLimits(parameters: Parameters, seconds?: number) {
	const limits = listLimits(seconds).map((limit) => parameters.read(limit));
	const [maxConcurrent, maxRetries, timeout] = limits;
	// In milliseconds.
	return { maxConcurrent, maxRetries, responseTimeout: timeout * 1000 };
}

function isUsable(text: string): boolean {
	// The name in an email address can have a slash. A proxy that decodes it finds nothing, and nothing else.
	const parts = text.includes('@') ? text.split('/') : [text];
	return text.length <= MAX_LENGTH && !parts.some((part) => UNUSABLE.test(part));
}

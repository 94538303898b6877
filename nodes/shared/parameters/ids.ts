import { UserError } from 'n8n-workflow';

import { describeValue, emptyError, MAX_LENGTH } from './values';

/** What no encoding keeps in its place in a path: a URL drops the two kinds of dots, and proxies may decode a slash. */
const UNUSABLE = /^\.{0,2}$|[/\\\p{Cc}\p{Cs}]/u;

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

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

/** A UUID is the same in capitals, another identifier might not be. */
export function isUuid(text: string): boolean {
	return UUID.test(text);
}

export function isLink(value: unknown): boolean {
	return /^\s*https?:\/\//i.test(String(value));
}

/**
 * The ID in a link: the last segment of its path. What a browser shows behind the UUID of a container, such as a page of a
 * file, is no part of it.
 *
 * @throws UserError for what is no link, or one without an ID
 */
export function parseLink(value: unknown, label: string): string {
	const text = String(value ?? '').trim();
	if (text === '') throw emptyError(label, `Enter a link in "${label}".`);
	// Some browsers show it without https://.
	const url = isLink(text) ? text : `https://${text}`;
	const segments = listSegments(url);
	const id = segments.findLast(isUuid) ?? segments.findLast((segment) => segment !== '') ?? '';
	if (typeof value === 'string' && isUsable(id)) return id;
	throw new UserError(`"${label}" is not a link with an ID`, {
		description: `${describeValue(value)} Enter a link such as https://share.example.com/c/5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90 in "${label}", as the output of a node has it in "link" or a browser shows it. For an ID alone, choose By ID.`,
	});
}

/** Of its path, decoded; none where that can't be done. */
function listSegments(url: string): string[] {
	try {
		return new URL(url).pathname.split('/').map(decodeURIComponent);
	} catch {
		return [];
	}
}

function isUsable(text: string): boolean {
	// The name in an email address can have a slash. A proxy that decodes it finds nothing, and nothing else.
	const parts = text.includes('@') ? text.split('/') : [text];
	return text.length <= MAX_LENGTH && !parts.some((part) => UNUSABLE.test(part));
}

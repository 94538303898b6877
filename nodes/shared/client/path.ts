import { UserError } from 'n8n-workflow';

const MAX_SEGMENT_LENGTH = 2000;

/**
 * Builds an encoded path below the base URL.
 *
 * @throws UserError as encodePathSegment does
 */
export function buildPath(segments: string[]): string {
	return segments.map((segment) => `/${encodePathSegment(segment, 'ID')}`).join('');
}

/** @throws UserError when the identifier can't become a segment of a path */
export function parseId(value: unknown, label: string): string {
	encodePathSegment(value, label);
	return String(value).trim();
}

/**
 * Encodes a value as one path segment, which decodes to exactly the trimmed value.
 *
 * @param label display name of the field, for the error
 * @throws UserError for what no encoding can keep in its place: nothing, `.`, `..`, control characters, lone surrogates
 */
export function encodePathSegment(value: unknown, label: string): string {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	if (text === '') {
		throw new UserError(`"${label}" is empty`, {
			description: `Enter a value in "${label}". If it comes from an expression, check that the field exists in the input item.`,
		});
	}
	// A URL drops these two as steps in the path, however they are encoded: the request would go somewhere else.
	if (text === '.' || text === '..') {
		throw new UserError(`"${label}" can't be "${text}"`, {
			description: `Enter the complete value in "${label}", as the service shows it.`,
		});
	}
	if (text.length > MAX_SEGMENT_LENGTH) {
		throw new UserError(`"${label}" is longer than ${MAX_SEGMENT_LENGTH} characters`, {
			description: `Enter only the ID or the email address in "${label}".`,
		});
	}
	if (/[\p{Cc}\p{Cs}]/u.test(text)) {
		throw new UserError(`"${label}" contains a character that can't be sent`, {
			description: `Remove line breaks, tabs and other control characters from "${label}".`,
		});
	}
	return encodeURIComponent(text);
}

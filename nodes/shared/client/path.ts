import { UserError } from 'n8n-workflow';

const MAX_SEGMENT_LENGTH = 2000;

/**
 * Builds an encoded path below the base URL; each segment stays exactly one.
 *
 * @throws UserError for a segment that is empty or can't stay within its place
 */
export function buildPath(segments: string[]): string {
	return segments.map((segment) => `/${encodePathSegment(segment, 'ID')}`).join('');
}

/**
 * Parses an identifier that the user entered.
 *
 * @returns the trimmed text
 * @throws UserError when it can't become a segment of a path
 */
export function parseId(value: unknown, label: string): string {
	encodePathSegment(value, label);
	return String(value).trim();
}

/**
 * Encodes one value for use as one path segment, once.
 *
 * @param value what the user entered, trimmed here
 * @param label the display name of its field, for the error
 * @returns the encoded segment; it decodes to exactly the trimmed value
 * @throws UserError for what no encoding can keep in its place: nothing, `.`, `..`, control characters, half a character
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

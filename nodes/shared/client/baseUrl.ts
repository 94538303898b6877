import { UserError } from 'n8n-workflow';

import { MAX_LENGTHS } from '../parameters/lengths';

const EXAMPLE = 'https://share.example.com/api/v1';

/**
 * Normalizes the base URL of a credential: no spaces around it, no slash at its end.
 *
 * @throws UserError when it is empty, not a URL, not HTTPS, or contains a user name, a query or a fragment
 */
export function normalizeBaseUrl(value: unknown): string {
	const text = typeof value === 'string' ? value.trim().replace(/(?<![\s/])[\s/]+$/, '') : '';
	// A URL drops line breaks and turns backslashes, so that it would not be what it looks like.
	const isTooLong = text.length > MAX_LENGTHS.url;
	const url = isTooLong || /[\s\\]/.test(text) ? undefined : parseUrl(text);
	if (url === undefined || url.hostname === '') {
		const problem = isTooLong
			? `longer than ${MAX_LENGTHS.url} characters`
			: text === ''
				? 'empty'
				: 'not a valid URL';
		throw new UserError(`The Base URL in the credential is ${problem}`, {
			description: `Open the credential and enter the URL of the API with its version, for example ${EXAMPLE}.`,
		});
	}
	if (url.protocol !== 'https:') {
		throw new UserError('The Base URL in the credential does not start with https://', {
			description:
				'The node sends the API key only over HTTPS. Open the credential and enter a Base URL that starts with https://.',
		});
	}
	// The URL itself drops those that are empty.
	if (/[?#]|^https:\/*[^/]*@/i.test(text)) {
		throw new UserError(
			'The Base URL in the credential contains a user name, a query or a fragment',
			{
				description: `Remove the user name and password, and everything from the first ? or #. The Base URL should look like ${EXAMPLE}.`,
			},
		);
	}
	// The scheme in lower case, however it is typed.
	return text.replace(/https/i, 'https');
}

/** The URL of a text, or undefined where it is none. */
export function parseUrl(text: string): URL | undefined {
	return URL.canParse(text) ? new URL(text) : undefined;
}

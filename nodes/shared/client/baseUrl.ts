import type { IHttpRequestOptions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

const EXAMPLE = 'https://share.example.com/api/v1';

/**
 * Normalizes the base URL of a credential: no spaces around it, no slash at its end.
 *
 * @throws UserError when it is empty, not a URL, not HTTPS, or contains a user name, a query or a fragment
 */
export function normalizeBaseUrl(value: unknown): string {
	const text = typeof value === 'string' ? value.trim().replace(/(?<![\s/])[\s/]+$/, '') : '';
	// A URL drops line breaks and turns backslashes, so that it would not be what it looks like.
	const url = /[\s\\]/.test(text) ? undefined : parseUrl(text);
	if (url === undefined || url.hostname === '') {
		const problem = text === '' ? 'empty' : 'not a valid URL';
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
	if (/[?#]|^[^/]*\/*[^/]*@/.test(text)) {
		throw new UserError(
			'The Base URL in the credential contains a user name, a query or a fragment',
			{
				description: `Remove the user name and password, and everything from the first ? or #. The Base URL should look like ${EXAMPLE}.`,
			},
		);
	}
	// The scheme in lower case, however it is typed.
	return text.replace(/^https/i, 'https');
}

/**
 * Checks that a request can carry the API key, before it is sent.
 *
 * @param options n8n's own request options, or those of the HTTP Request node, which names the URL `uri`
 * @throws UserError when the request goes over plain HTTP or to another origin than the base URL's
 */
export function assertSafeForApiKey(
	options: IHttpRequestOptions & { uri?: string },
	baseUrl: string,
): void {
	const target = getTargetUrl(options);
	const own = new URL(baseUrl).origin;
	if (target !== undefined && target.protocol === 'https:' && target.origin === own) return;
	throw new UserError(
		target === undefined
			? 'The URL of the request is not valid, so the API key was not sent'
			: `The API key was not sent to ${target.origin}`,
		{
			description: `This credential sends its API key only over HTTPS to the origin of its Base URL, ${own}. Use a URL with this origin, or another credential.`,
		},
	);
}

/** The URL of a request, joined as the HTTP client joins it: an absolute URL ignores the base. */
function getTargetUrl(options: IHttpRequestOptions & { uri?: string }): URL | undefined {
	const address = String(options.url ?? options.uri ?? '');
	if (!options.baseURL || /^([a-z][a-z\d+\-.]*:)?\/\//i.test(address)) return parseUrl(address);
	return parseUrl(`${options.baseURL.replace(/(?<!\/)\/+$/, '')}/${address.replace(/^\/+/, '')}`);
}

function parseUrl(text: string): URL | undefined {
	return URL.canParse(text) ? new URL(text) : undefined;
}

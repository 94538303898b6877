import type { IHttpRequestOptions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

const EXAMPLE = 'https://share.example.com/api/v1';

/**
 * Brings the base URL of a credential into the one form that everything else uses.
 *
 * @param value the text of the credential's Base URL field; blanks around it and slashes at its end are tolerated
 * @returns the base URL without a slash at its end, such as `https://share.example.com/api/v1`
 * @throws UserError when it is empty, no URL, not HTTPS, or holds a user name, a query or a fragment
 *   (service-api.md, Authentication 3: plain HTTP is unsupported)
 */
export function normalizeBaseUrl(value: unknown): string {
	const text = typeof value === 'string' ? value.trim().replace(/[\s/]+$/, '') : '';
	if (text === '') {
		throw new UserError('The Base URL in the credential is empty', {
			description: `Open the credential and enter the URL of the API with its version, for example ${EXAMPLE}.`,
		});
	}
	const url = parseUrl(text);
	if (url === undefined || url.hostname === '') {
		throw new UserError('The Base URL in the credential is not a valid URL', {
			description: `Open the credential and enter the URL of the API with its version, for example ${EXAMPLE}.`,
		});
	}
	if (url.protocol !== 'https:') {
		throw new UserError('The Base URL in the credential does not start with https://', {
			description:
				'The node sends the API key only over HTTPS. Open the credential and enter a Base URL that starts with https://.',
		});
	}
	if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
		throw new UserError(
			'The Base URL in the credential contains a user name, a query or a fragment',
			{
				description: `Remove the user name and password, and everything from the first ? or #. The Base URL should look like ${EXAMPLE}.`,
			},
		);
	}
	return text;
}

/**
 * Decides whether a request may carry the API key, before it leaves.
 *
 * @param options the request as the engine is about to send it (n8n's own options, or those of the HTTP Request node,
 *   which names the address `uri`)
 * @param baseUrl the normalized base URL of the credential
 * @throws UserError when the request would go over plain HTTP or to another origin than the base URL's
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

/** The address a request goes to, joined as the HTTP client joins it: an absolute URL ignores the base. */
function getTargetUrl(options: IHttpRequestOptions & { uri?: string }): URL | undefined {
	const address = String(options.url ?? options.uri ?? '');
	if (!options.baseURL || /^([a-z][a-z\d+\-.]*:)?\/\//i.test(address)) return parseUrl(address);
	return parseUrl(`${options.baseURL.replace(/\/+$/, '')}/${address.replace(/^\/+/, '')}`);
}

function parseUrl(text: string): URL | undefined {
	return URL.canParse(text) ? new URL(text) : undefined;
}

import { UserError, type IHttpRequestOptions } from 'n8n-workflow';

import { isRecord } from '../nodes/shared/responses/shapes';
import { parseUrl } from '../nodes/shared/client/connection';

/** A client certificate; any other option of the connection could make it trust someone else, or go elsewhere. */
const ALLOWED_AGENT_OPTIONS = ['cert', 'key', 'passphrase'];

/** What the name of a header cannot contain (RFC 9110, 5.6.2): spaces, and the colon of `:authority`. */
const NO_TOKEN = /[^\w!#$%&'*+\-.^`|~]/g;

/** n8n's own request options, or those of the HTTP Request node, which has other names for some. */
export type CheckedRequest = IHttpRequestOptions & { uri?: string; rejectUnauthorized?: unknown };

/**
 * Checks that a request can carry the API key, before it is sent.
 *
 * @param baseUrl normalized, so with https:
 * @throws UserError when the request goes over plain HTTP, to another origin or virtual host than the base URL's, or to a
 *   server that need not prove who it is
 */
export function assertSafeForApiKey(
	options: CheckedRequest,
	baseUrl: string,
	allowUnauthorizedCerts: boolean,
): void {
	const target = getTargetUrl(options);
	const own = new URL(baseUrl);
	if (target?.origin !== own.origin) {
		const message =
			target === undefined
				? 'The URL of the request is not valid, so the API key was not sent'
				: `The API key was not sent to ${target.origin}`;
		throw new UserError(message, {
			description: `This credential sends its API key only over HTTPS to the origin of its Base URL, ${own.origin}. Use a URL with this origin, or another credential.`,
		});
	}
	const hosts = [own.host, `${own.hostname}:${own.port || 443}`];
	const named = listHosts(options.headers ?? {});
	if (named.length > 1 || named.some((host) => !hosts.includes(host))) {
		throw new UserError('The API key was not sent, because the request has the header "Host"', {
			description: `Other services on the same server could receive the key. Remove the header "Host", or set it to ${own.host}, once.`,
		});
	}
	const unsafe = allowUnauthorizedCerts ? undefined : findUnverifiedTls(options);
	if (unsafe === undefined) return;
	throw new UserError(`The API key was not sent, because ${unsafe}`, {
		description:
			'Someone else could receive the key. Remove this option. If the service uses a private certificate authority, start n8n with NODE_EXTRA_CA_CERTS. Only for tests, turn on "Ignore SSL Issues (Insecure)" in the credential.',
	});
}

/**
 * The hosts that the headers say a request is for. The HTTP client also sends the headers in groups, `headers.common` and
 * `headers.get`, removes spaces around a name, and merges capitals.
 */
function listHosts(headers: object): string[] {
	return [headers, ...Object.values(headers).filter(isRecord)]
		.flatMap((group): Array<[string, unknown]> => Object.entries(group))
		.filter(([name]) => /^(host|authority)$/i.test(name.replace(NO_TOKEN, '')))
		.filter(([, value]) => value !== undefined && value !== null)
		.map(([, value]) => String(value).toLowerCase());
}

/** Why anyone could answer in place of the service, in words that follow "because". */
function findUnverifiedTls(options: CheckedRequest): string | undefined {
	const { skipSslCertificateValidation, rejectUnauthorized = true, agentOptions } = options;
	if (skipSslCertificateValidation || rejectUnauthorized !== true) {
		return 'the request ignores SSL issues';
	}
	const set = Object.entries(agentOptions ?? {}).filter(([, value]) => value !== undefined);
	const name = set.map(([key]) => key).find((key) => !ALLOWED_AGENT_OPTIONS.includes(key));
	if (name === 'ca') return 'the request has a certificate authority of its own';
	return name && `the request has the TLS option "${name}"`;
}

/** The URL of a request, joined as the HTTP client joins it, but for slashes: an absolute URL ignores the base. */
function getTargetUrl(options: CheckedRequest): URL | undefined {
	const address = String(options.url ?? options.uri ?? '');
	const isAbsolute = !options.baseURL || /^([a-z][a-z\d+\-.]*:)?\/\//i.test(address);
	return parseUrl(isAbsolute ? address : `${options.baseURL}/${address}`);
}

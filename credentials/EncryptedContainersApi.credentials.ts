import {
	UserError,
	type IAuthenticate,
	type ICredentialTestRequest,
	type ICredentialType,
	type Icon,
	type IHttpRequestOptions,
	type INodeProperties,
} from 'n8n-workflow';

import { cleanApiKey, normalizeBaseUrl, parseUrl } from '../nodes/shared/client/connection';
import { simpleField } from '../nodes/shared/descriptions/options';
import { KEY_ADVICE } from '../nodes/shared/errors/messages';

/** Those of n8n, or of the HTTP Request node, which has other names for some. */
type RequestOptions = IHttpRequestOptions & { uri?: string; rejectUnauthorized?: unknown };

/** Any other TLS option could make the connection trust someone else, or go elsewhere. */
const CLIENT_CERTIFICATE = ['cert', 'key', 'passphrase'];

const END_OF_URL =
	'The Base URL must end with the version, for example https://share.example.com/api/v1.';

/** Of the test. n8n has only the name of a status. */
const MESSAGES = {
	401: `The service did not accept this API key. ${KEY_ADVICE}`,
	403: 'This API key has no permission to read its own user. Use the API key of another user.',
	404: `${END_OF_URL} There is nothing at this one.`,
};

export class EncryptedContainersApi implements ICredentialType {
	name = 'encryptedContainersApi';

	displayName = 'Encrypted Containers API';

	icon: Icon = {
		light: 'file:../icons/encryptedContainers.svg',
		dark: 'file:../icons/encryptedContainers.dark.svg',
	};

	documentationUrl =
		'https://github.com/encrypted-containers/n8n-nodes-encrypted-containers#credentials';

	properties: INodeProperties[] = [
		simpleField(
			['Base URL', 'baseUrl', ''],
			"URL of the API. It must start with https:// and end with the version, such as /api/v1. If the test shows only a code: ECONNREFUSED means that nothing answers at this host and port, ENOTFOUND that no host has this name, ETIMEDOUT that a firewall or a proxy is in the way, and a code with CERT or VERIFY that n8n doesn't trust the certificate of the service: start n8n with NODE_EXTRA_CA_CERTS set to a file with that of its certificate authority.",
			{ required: true, placeholder: 'https://share.example.com/api/v1' },
		),
		simpleField(['API Key', 'apiKey', ''], `${KEY_ADVICE} A key has the permissions of its user.`, {
			required: true,
			typeOptions: { password: true },
		}),
		simpleField(
			['Ignore SSL Issues (Insecure)', 'allowUnauthorizedCerts', false],
			'Whether to connect even if the certificate of the service is not trusted. Anyone between n8n and the service can then read the API key and the files. For tests only: otherwise, start n8n with NODE_EXTRA_CA_CERTS.',
		),
		simpleField(
			['Link to a Container', 'containerUrl', ''],
			'Where a recipient opens a container, with {containerId} in place of its ID. Only for services that return no URL.',
			{ placeholder: 'https://share.example.com/c/{containerId}' },
		),
		{
			displayName:
				'Guardrails (optional). They bind everyone who uses this credential in the Encrypted Containers node: every workflow, form and AI agent. Only people who can edit the credential can change them. The HTTP Request node with this credential is not bound by them. To close this way, set "Allowed HTTP Request Domains" to "None".',
			name: 'guardrailsNotice',
			type: 'notice',
			default: '',
		},
		simpleField(
			['Allowed Recipients', 'allowedRecipients', ''],
			'Addresses and wildcards, separated by commas. The node refuses to give access to anyone else, before it sends anything. Leave empty to allow every recipient.',
			{ placeholder: '*@example.com, anna@partner.example' },
		),
		simpleField(
			['Longest Access (Days)', 'maxAccessDays', ''],
			'The node refuses to give access for more days than this, or without an end. Leave empty for no limit.',
			{ placeholder: '90' },
		),
		simpleField(
			['Forbid Download', 'forbidDownload', false],
			'Whether the node refuses to let recipients download files',
		),
		simpleField(
			['Forbid Decode', 'forbidDecode', false],
			'Whether the node refuses to download files into n8n',
		),
	];

	/**
	 * For all requests, also of the HTTP Request node: the key goes only over HTTPS to the origin of the base URL, and never
	 * with a redirect. Only the credential decides whether the certificate is checked.
	 */
	authenticate: IAuthenticate = async (credentials, requestOptions: RequestOptions) => {
		const { baseURL, headers } = requestOptions;
		assertOwnOrigin(requestOptions, new URL(normalizeBaseUrl(credentials.baseUrl)).origin);
		if (credentials.allowUnauthorizedCerts !== true) assertCertificateChecked(requestOptions);
		return {
			...requestOptions,
			...(baseURL && { baseURL: normalizeBaseUrl(baseURL) }),
			headers: { ...headers, Authorization: `Bearer ${cleanApiKey(credentials.apiKey)}` },
			disableFollowRedirect: true,
			sendCredentialsOnCrossOriginRedirect: false,
			// What the HTTP Request node calls them.
			followRedirect: false,
			followAllRedirects: false,
		} as IHttpRequestOptions;
	};

	/**
	 * Without a response, n8n shows only the code, which the Base URL's description explains. A test function of the node
	 * could say more, but its requests would not go through `authenticate`, which keeps the key safe.
	 */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl }}',
			url: '/me',
			skipSslCertificateValidation: '={{ $credentials.allowUnauthorizedCerts }}',
		},
		rules: [
			...Object.entries(MESSAGES).map(([status, message]) => ({
				type: 'responseCode',
				properties: { value: Number(status), message },
			})),
			{
				// A web page has the status 200 too: only the API returns a user.
				type: 'responseSuccessBody',
				properties: {
					key: 'id',
					value: undefined,
					message: `${END_OF_URL} This one responds, but not with an API response.`,
				},
			},
		] as ICredentialTestRequest['rules'],
	};
}

/** @throws UserError for a request that goes over plain HTTP, or to another origin than the base URL's */
function assertOwnOrigin({ baseURL, url, uri }: RequestOptions, own: string): void {
	for (const address of [url ?? uri ?? '', uri ?? url ?? '']) {
		const isAbsolute = !baseURL || /^([a-z][a-z\d+.-]*:)?\/\//i.test(address);
		const target = parseUrl(isAbsolute ? address : `${baseURL}/${address}`);
		if (target?.origin === own) continue;
		const message = target
			? `The API key was not sent to ${target.origin}`
			: 'The URL of the request is not valid, so the API key was not sent';
		throw new UserError(message, {
			description: `This credential sends its API key only over HTTPS to the origin of its Base URL, ${own}. Use a URL with this origin, or another credential.`,
		});
	}
}

/** @throws UserError for a request that anyone could answer in place of the service */
function assertCertificateChecked(options: RequestOptions): void {
	const { skipSslCertificateValidation, rejectUnauthorized = true, agentOptions = {} } = options;
	const own = Object.entries(agentOptions).find(
		([name, value]) => value !== undefined && !CLIENT_CERTIFICATE.includes(name),
	);
	if (!skipSslCertificateValidation && rejectUnauthorized === true && own === undefined) return;
	const reason = own === undefined ? 'ignores SSL issues' : `has the TLS option "${own[0]}"`;
	throw new UserError(`The API key was not sent, because the request ${reason}`, {
		description:
			'Someone else could receive the key. Remove this option. If the service uses a private certificate authority, start n8n with NODE_EXTRA_CA_CERTS. Only for tests, turn on "Ignore SSL Issues (Insecure)" in the credential.',
	});
}

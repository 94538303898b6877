import type {
	IAuthenticate,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

import { cleanApiKey, normalizeBaseUrl } from '../nodes/shared/client/connection';
import { assertSafeForApiKey } from './keySafety';

/** The messages of the test by status, where n8n has only the name of the status. */
const rulesForStatuses = Object.entries({
	401: 'The service did not accept this API key. To create a valid one, go to Configuration > API Keys in the service portal.',
	403: 'This API key has no permission to read its own user. Use the API key of another user.',
	404: 'Nothing found here. The Base URL must end with the version, for example https://share.example.com/api/v1.',
}).map(([status, message]) => ({
	type: 'responseCode',
	properties: { value: Number(status), message },
}));

/** A switch that n8n's lint takes for a secret, because of its name. */
const ignoreSslIssues: INodeProperties = {
	displayName: 'Ignore SSL Issues (Insecure)',
	name: 'allowUnauthorizedCerts',
	type: 'boolean',
	default: false,
	description:
		'Whether to connect even if the certificate of the service is not trusted. Anyone between n8n and the service can then read the API key and the files. For tests only.',
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
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'https://share.example.com/api/v1',
			description:
				"URL of the API with its version. It must start with https://. A slash at the end is ignored. If the test shows only a code: ECONNREFUSED means that nothing answers at this host and port, ENOTFOUND that no host has this name, ETIMEDOUT that a firewall or a proxy is in the way, and a code with CERT or VERIFY that n8n doesn't trust the certificate of the service.",
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'To create a key, go to Configuration > API Keys > Create API Key in the service portal. The key has the permissions of the user who creates it.',
		},
		ignoreSslIssues,
		// What can be given away with the key. Whoever may only use the credential can't change it.
		{
			displayName:
				'Guardrails (optional). They bind everyone who uses this credential in the Encrypted Containers node: every workflow, form and AI agent. Only who can edit the credential can change them. The HTTP Request node with this credential is not bound by them. To close this way, set "Allowed HTTP Request Domains" to "None".',
			name: 'guardrailsNotice',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'Allowed Recipients',
			name: 'allowedRecipients',
			type: 'string',
			default: '',
			placeholder: '*@example.com, anna@partner.example',
			description:
				'Addresses and wildcards, separated by commas. The node refuses to give access to anyone else, before it sends anything. Leave empty to allow every recipient.',
		},
		{
			displayName: 'Longest Access (Days)',
			name: 'maxAccessDays',
			type: 'string',
			default: '',
			placeholder: '90',
			description:
				'The node refuses to give access for more days than this, or without an end. Leave empty for no limit.',
		},
		{
			displayName: 'Forbid Download',
			name: 'forbidDownload',
			type: 'boolean',
			default: false,
			description: 'Whether the node refuses to let recipients download files',
		},
	];

	/**
	 * Runs for every request with this credential, those of the HTTP Request node too: the key is sent over HTTPS to the
	 * origin of the base URL or not at all, and never with a redirect (docs/openapi.yaml, security). Only the credential
	 * decides whether the certificate is checked.
	 */
	authenticate: IAuthenticate = async (credentials, requestOptions) => {
		const { baseUrl, apiKey, allowUnauthorizedCerts } = credentials;
		const { baseURL, headers } = requestOptions;
		const options = {
			...requestOptions,
			...(baseURL && { baseURL: normalizeBaseUrl(baseURL) }),
			headers: { ...headers, Authorization: `Bearer ${cleanApiKey(apiKey)}` },
			disableFollowRedirect: true,
			sendCredentialsOnCrossOriginRedirect: false,
			// What the HTTP Request node calls them.
			followRedirect: false,
			followAllRedirects: false,
		};
		assertSafeForApiKey(options, normalizeBaseUrl(baseUrl), allowUnauthorizedCerts === true);
		return options;
	};

	/**
	 * Where there is no response, n8n shows only the code. A test function of the node could say more, but n8n gives it no
	 * request that goes through `authenticate`, which keeps the key safe. So the Base URL's description explains the codes.
	 */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl }}',
			url: '/me',
			skipSslCertificateValidation: '={{ $credentials.allowUnauthorizedCerts }}',
		},
		rules: [
			...rulesForStatuses,
			{
				// A web page has the status 200 too: only the API returns a user.
				type: 'responseSuccessBody',
				properties: {
					key: 'id',
					value: undefined,
					message:
						'The URL responds, but not with an API response. The Base URL must end with the version, for example https://share.example.com/api/v1.',
				},
			},
		] as ICredentialTestRequest['rules'],
	};
}

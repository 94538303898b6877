import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

import { assertSafeForApiKey, normalizeBaseUrl } from '../nodes/shared/client/baseUrl';

/** What the test says instead of the bare name of a status. */
const rulesForStatuses = Object.entries({
	401: 'The service did not accept this API key. To create a valid one, go to Configuration > API Keys in the service portal.',
	403: 'This API key has no permission to read its own user. Use the API key of another user.',
	404: 'Nothing found here. The Base URL must end with the version, for example https://share.example.com/api/v1.',
}).map(([status, message]) => ({
	type: 'responseCode' as const,
	properties: { value: Number(status), message },
}));

/** A web page answers 200 as well: only the API answers with a user. */
const ruleForAnswer = {
	type: 'responseSuccessBody' as const,
	properties: {
		key: 'id',
		value: undefined,
		message:
			'The URL responds, but not with an API response. The Base URL must end with the version, for example https://share.example.com/api/v1.',
	},
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
				'URL of the API with its version. It must start with https://. A slash at the end is ignored.',
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
	];

	/**
	 * Sees every request made with this credential, those of the HTTP Request node too: the key goes out over HTTPS to
	 * the base URL's own origin or not at all, and never along a redirect (service-api.md, Authentication).
	 */
	authenticate: IAuthenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		const baseUrl = normalizeBaseUrl(credentials.baseUrl);
		const options: IHttpRequestOptions & RedirectSwitchesOfHttpRequestNode = { ...requestOptions };
		if (options.baseURL) options.baseURL = options.baseURL.trim().replace(/[\s/]+$/, '');
		assertSafeForApiKey(options, baseUrl);
		options.headers = {
			...options.headers,
			Authorization: `Bearer ${String(credentials.apiKey).trim()}`,
		};
		options.disableFollowRedirect = true;
		options.followRedirect = false;
		options.followAllRedirects = false;
		options.sendCredentialsOnCrossOriginRedirect = false;
		return options;
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl }}',
			url: '/me',
		},
		rules: [...rulesForStatuses, ruleForAnswer] as ICredentialTestRequest['rules'],
	};
}

interface RedirectSwitchesOfHttpRequestNode {
	followRedirect?: boolean;
	followAllRedirects?: boolean;
}

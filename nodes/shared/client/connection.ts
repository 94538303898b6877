import { UserError, type ICredentialDataDecryptedObject } from 'n8n-workflow';

export const CREDENTIAL = 'encryptedContainersApi';

export type Connection = Awaited<ReturnType<typeof getConnection>>;

/** @throws UserError when a field can't be used, or there is no API key */
export async function getConnection(context: {
	getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
}) {
	const data = await context.getCredentials(CREDENTIAL);
	const baseUrl = normalizeBaseUrl(data.baseUrl);
	const apiKey = cleanApiKey(data.apiKey);
	if (apiKey === '') {
		throw new UserError('The API Key in the credential is empty', {
			description: 'Open the credential. If the key comes from an expression, check it.',
		});
	}
	return {
		baseUrl,
		apiKey,
		/** Stands for the service and the API key, in memory only. */
		key: JSON.stringify([baseUrl, apiKey]),
		containerUrl: parseContainerUrl(data.containerUrl),
		allowUnauthorizedCerts: data.allowUnauthorizedCerts === true,
		/** Passed to each request, which would otherwise load and decrypt the credential again. */
		credential: { id: '', name: '', type: CREDENTIAL, data },
	};
}

/** Without the word that the service's examples put before it. */
export function cleanApiKey(value: unknown): string {
	const text = String(value ?? '').trim();
	return text.replace(/^Bearer\s+/i, '');
}

/** Without spaces around it and slashes at its end. @throws UserError for one that is unsafe */
export function normalizeBaseUrl(value: unknown): string {
	const text = typeof value === 'string' ? value.trim().replace(/(?<![\s/])[\s/]+$/, '') : '';
	// A URL drops line breaks, turns backslashes, and drops what else is empty: it would not be what it looks like.
	const url = /[\s\\?#]|^https:\/*[^/]*@/i.test(text) ? undefined : parseUrl(text);
	if (url?.protocol === 'https:' && url.hostname !== '') return text.replace(/https/i, 'https');
	const wrong = url?.hostname ? 'does not start with https://' : 'is not a valid URL';
	throw new UserError(`The Base URL in the credential ${text === '' ? 'is empty' : wrong}`, {
		description:
			'Open the credential and enter the URL of the API with its version, and nothing else, for example https://share.example.com/api/v1. The node sends the API key only over HTTPS.',
	});
}

/** Where a recipient opens any container, with `{containerId}` in it; can be empty. @throws UserError for another link */
export function parseContainerUrl(value: unknown): string {
	const text = String(value ?? '').trim();
	const isLink = text.includes('{containerId}') && parseUrl(text)?.protocol === 'https:';
	if (text === '' || isLink) return text;
	throw new UserError('"Link to a Container" in the credential is not a link with {containerId}', {
		description:
			'Open the credential and enter where a recipient opens a container, with {containerId} in place of its ID, for example https://share.example.com/c/{containerId}. Leave it empty if the service returns the URL.',
	});
}

export function parseUrl(text: string): URL | undefined {
	return URL.canParse(text) ? new URL(text) : undefined;
}
